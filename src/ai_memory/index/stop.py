"""Words that say nothing about a subject, dropped from queries (never from the index): English, Portuguese, Spanish."""

from __future__ import annotations

_ENGLISH = """
a about after again all also am an and any are aren as at be because been before being below between both but by can
cannot could couldn d did didn do does doesn doing don down during each few for from further get got had hadn has hasn
have haven having he her here hers him his how i if in into is isn it its itself just ll m me might more most must my
myself no nor not now of off on once only or other our ours out over own please re s same shall she should shouldn so
some such t tell than that the their theirs them then there these they this those through to too under until up us ve
very was wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours
"""
_PORTUGUESE = """
ao aos aquela aquele as ate com como da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta
este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o
onde os ou para pela pelas pelo pelos por porque qual quais quando que quem se sem ser seu seus so sua suas tambem te
tem tinha um uma umas uns voce
"""
_SPANISH = """
al algo algunos ante con contra cual cuales cuando de del desde donde durante el ella ellas ellos en era es esa ese eso
esta este esto estos fue ha hay la las le les lo los mas mi mientras muy nada ni nos nosotros otro para pero poco por
porque pues que quien se sin sobre son su sus tan te tiene todo tu tus un una uno unos y ya yo
"""
STOP = frozenset((_ENGLISH + _PORTUGUESE + _SPANISH).split())
