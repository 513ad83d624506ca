"""Maid Mafia, v1.5 and what is known of its first edition. Ids are those of rules.en.md and rules.ja.md.

Here: what a position is, setup, and the end. table.py has what follows from a position, moves.py and fights.py the
decisions, flow.py what comes after them; moving.py, fighting.py, acting.py, owning.py, paying.py and police.py hold their parts.
"""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cards, cite, count, deal, flag, holds, left_of, many, mix, new_row, number, one, phase, reading, rule,
    seat, seats, shuffle, state,
)

from .flow import go_on
from .moves import legal_kept
from .paying import do_all_draws, refill
from .table import BEGIN, ask, draw, standing, start_space, tally, then

DEALING, FIRST, KEEP = phase("deal"), phase("first"), phase("keep")
TO_THE_DISCARD = reading("unchosen", "discard")
MM_K2, MM_S1, MM_S2, MM_S4, MM_S5 = rule("MM-K2"), rule("MM-S1"), rule("MM-S2"), rule("MM-S4"), rule("MM-S5")
MM_S6, MM_S8, MM_S9, MMQ_4 = rule("MM-S6"), rule("MM-S8"), rule("MM-S9"), rule("MMQ-4")


# ---------------------------------------------------------------- the state

STATE = state(
    first=seat(en="first player", ja="最初のプレイヤー"),
    active=seat(en="whose turn of the game it is", ja="手番プレイヤー"),
    turns=number(0, 32000, en="turns begun", ja="始まった手番の数"),
    # maids
    hand=many("maid", per="seat", sees="owner", en="maids to choose from", ja="選べるメイド"),
    deck=many("maid", sees="nobody", en="maid deck", ja="メイドの山札"),
    display=many("maid", en="maids for hire", ja="雇用できるメイド"),
    discard=many("maid", en="maids put aside", ja="捨て札のメイド"),
    maids=many("maid", per="seat", place=False, en="maids employed", ja="雇っているメイド"),
    at=many("maid", per="space", en="maids on the board", ja="ボード上のメイド"),
    down=many("maid", en="maids that are down", ja="ダウンしたメイド"),
    angry=many("maid", place=False, en="maids with an anger marker", ja="怒りマーカーのあるメイド"),
    card_on=one("card", per="maid", en="department card of a maid", ja="メイドの部門カード"),
    spare=many("card", per="seat", en="department cards on no maid", ja="メイドに付けていない部門カード"),
    # stacks
    top=one("card", per="slot", en="top of each stack", ja="各束の一番上"),
    under=one("card", per=("slot", "depth"), unless={"stack_view=top": "nobody"}, en="cards below the top", ja="束の2枚目以降"),
    box=many("card", en="cards not yet in stacks", ja="束にする前のカード"),
    gone=many("card", en="events played", ja="使ったイベントカード"),
    police_cards=many("card", en="cards of the police", ja="警察が持つカード"),
    henchmen=number(0, 9, per=("seat", "slot"), en="henchman markers on the top card", ja="一番上のカードの子分マーカー"),
    deposit=number(0, 64, per=("seat", "slot"), en="coins paid for reservations", ja="購入予約に払ったコイン"),
    # chips
    bag=many("coin", sees="nobody", en="coin bag", ja="コイン袋"),
    purse=many("coin", per="seat", sees="owner", en="coins", ja="コイン"),
    fresh=many("coin", per="seat", sees="owner", en="coins just gained", ja="得たばかりのコイン"),
    stake=one("coin", per="seat", sees="owner", en="coin face down", ja="裏向きに出したコイン"),
    shown=one("coin", per="seat", en="coin shown", ja="公開したコイン"),
    counted=many("coin", per="seat", en="coins at the end", ja="ゲーム終了時のコイン"),
    port=many("tea", sees="nobody", en="port", ja="港"),
    stall=many("tea", per="space", en="tea on the tea spaces", ja="マスの紅茶"),
    tea=many("tea", per="seat", sees="owner", en="tea", ja="紅茶"),
    fresh_tea=many("tea", per="seat", sees="owner", en="tea just gained", ja="得たばかりの紅茶"),
    offer=one("tea", en="tea being sold", ja="売っている紅茶"),
    grid=one("tea", per="tile", en="bingo grid", ja="ビンゴのタイル"),
    more=one("tea", per=("sheet", "tile"), en="further grids", ja="2つ目以降のタイル"),
    # police and the end
    police=one("space", place=False, en="police", ja="警察"),
    police_left=number(0, 9, en="steps that the police still go", ja="警察の残り歩数"),
    laps=number(0, 9999, en="times the police reached the start", ja="警察がスタートに着いた回数"),
    ended=number(0, 4, en="how it ended: 1 departments, 2 stacks, 3 all lose, 4 turn cap", ja="終わり方：1部門、2束、3全員負け、4手番上限"),
    turn_cap=flag(en="the turn cap ended it", ja="手番上限で終わった"),
    winner=flag(per="seat", en="has won", ja="勝者"),
    # this turn
    steps=number(0, 20, en="steps used", ja="使った歩数"),
    here=one("space", place=False, en="where the moving group is", ja="移動中のまとまりの位置"),
    group=many("maid", place=False, en="maids moving together", ja="まとめて移動中のメイド"),
    ran=flag(en="the group has taken a step", ja="まとまりが1歩以上動いた"),
    moved=many("maid", place=False, en="maids moved in this turn", ja="このターンに動いたメイド"),
    came=many("maid", place=False, en="maids that may act where they came to", ja="移動先でアクションできるメイド"),
    trail=many("space", per="maid", place=False, en="spaces passed in this turn", ja="このターンに通ったマス"),
    refused=many("maid", place=False, en="maids whose player said no", ja="同行を断られたメイド"),
    bribes=number(0, 24, en="bribe coins due", ja="払う賄賂の枚数"),
    bribe_on=one("space", place=False, en="where the bribe is paid", ja="賄賂を払うマス"),
    acted=flag(en="the action has begun", ja="アクション開始済み"),
    no_act=flag(en="no action any more in this turn", ja="このターンはもうアクションできない"),
    had_battle=flag(en="a battle in this turn", ja="このターンにバトルがあった"),
    hired=flag(en="a hire in this turn", ja="このターンに雇用があった"),
    bought=flag(en="tea bought in this turn", ja="このターンに紅茶を購入した"),
    bingo_moved=flag(en="a bingo moved the police in this turn", ja="このターンにビンゴで警察が動いた"),
    fought=many("space", place=False, en="spaces with combat in this turn", ja="このターンに戦闘があったマス"),
    # an action
    action=one("space", place=False, en="action space", ja="アクションのマス"),
    workers=many("maid", place=False, en="maids still to act", ja="これからアクションするメイド"),
    seller=one("maid", place=False, en="maid who sells", ja="売るメイド"),
    sheet=number(0, 3, en="grid of the sale", ja="使うタイル"),
    bingo_moves=number(0, 8, en="police moves of a bingo", ja="ビンゴによる警察移動"),
    rage=many("maid", place=False, en="maids using their anger", ja="怒りを使っているメイド"),
    wanted=one("maid", place=False, en="maid concerned", ja="対象のメイド"),
    reviving=many("maid", place=False, en="maids to revive", ja="復活させるメイド"),
    slot=number(0, 8, en="stack concerned", ja="対象の束"),
    marking=seat(en="who needs a marker", ja="マーカーが必要なプレイヤー"),
    before=number(0, 64, en="coins before paying", ja="支払い前のコイン数"),
    due=number(-99, 99, en="pounds to pay", ja="支払うポンド"),
    last=number(0, 99, en="value of the last coin paid", ja="直前に払ったコインの値"),
    reward=number(0, 9, en="reward of the event", ja="イベントの賞品"),
    # what is to be drawn
    draws=number(0, 64, per="seat", en="coins to draw", ja="引くコインの枚数"),
    back=number(0, 24, en="coins to give back", ja="戻すコインの枚数"),
    refill=flag(en="tea refill due", ja="紅茶補充が必要"),
    show=flag(en="display to fill", ja="メイドの補充が必要"),
    cleared=many("tile", place=False, en="tiles of the bingo", ja="ビンゴのタイル"),
    thief=seat(en="who takes loot", ja="奪うプレイヤー"),
    victim=seat(en="whose chips are taken", ja="奪われるプレイヤー"),
    loot=number(0, 24, en="chips to take", ja="奪うチップの枚数"),
    closing=flag(en="the turn is ending", ja="ターンの終わり"),
    # combat
    spot=one("space", place=False, en="where combat is", ja="戦闘のマス"),
    mover=seat(en="who arrived", ja="移動してきたプレイヤー"),
    asked=number(0, 9, en="how many have been asked", ja="確認済みの人数"),
    attacker=seat(en="attacker", ja="攻撃側"),
    defender=seat(en="defender", ja="防御側"),
    mode=number(0, 2, en="1 battle, 2 trap", ja="1バトル、2トラップ"),
    side=many("maid", per=2, place=False, en="maids of attacker and defender", ja="攻撃側と防御側のメイド"),
    lent=many("maid", place=False, en="maids whose ability may be used", ja="能力を使えるメイド"),
    rounds=number(0, 99, en="comparisons", ja="判定の回数"),
    raging=number(0, 2, en="which side may use anger", ja="怒りを使える側"),
    ahead=number(0, 1, en="side that won the comparison", ja="判定に勝った側"),
    downs=number(0, 24, per=2, en="maids downed by each side", ja="各側がダウンさせた人数"),
    # promises
    partner=seat(en="to whom a promise is offered", ja="約束の相手"),
    promised=flag(en="a promise in this turn", ja="このターンに約束した"),
    bonds=number(0, 99, per=("seat", "seat"), en="open promises, to the first by the second", ja="未履行の約束（前者に対する後者の約束）"),
    kept=number(0, 9999, per="seat", en="promises kept", ja="守った約束"),
    broken=number(0, 9999, per="seat", en="promises broken", ja="破った約束"),
    # what comes next
    todo=number(0, 40, per=16, en="what is still to come", ja="これから行うこと"),
    waiting=number(0, 16, en="how much is still to come", ja="これから行うことの数"),
    # counts
    markers=number(-9, 9, per="seat", derived=True, en="markers at hand", ja="手元のマーカー"),
    departments=number(0, 12, per="seat", derived=True, en="department cards", ja="部門カードの枚数"),
    crew=number(0, 63, per="seat", derived=True, en="maids", ja="メイドの人数"),
    taken=number(0, 63, derived=True, en="cards of the police", ja="警察のカードの枚数"),
    job_coins=number(0, 9999, per="seat", en="coins from jobs", ja="バイトで得たコイン"),
    sale_coins=number(0, 9999, per="seat", en="coins from sales", ja="売却で得たコイン"),
    looted=number(0, 9999, per="seat", en="chips looted", ja="奪ったチップ"),
    bingos=number(0, 9999, per="seat", en="bingos", ja="ビンゴの数"),
    reserves=number(0, 9999, per="seat", en="reservations", ja="購入予約の回数"),
    fights=number(0, 9999, per="seat", en="combats begun", ja="仕掛けた戦闘"),
    revives=number(0, 9999, per="seat", en="maids revived", ja="復活させた人数"),
    passes=number(0, 9999, per="seat", en="turns passed", ja="パスの回数"),
)


# ---------------------------------------------------------------- setup


def setup(p, s):
    s.deck = (1 << len(p.maid_cost)) - 1
    s.bag = (1 << len(p.coin_value)) - 1
    s.port = (1 << len(p.tea_plus)) - 1
    s.box = (1 << len(p.card_cost)) - 1
    s.police = start_space(p)
    cite(MM_S8, NONE, s.police)
    for who in seats(s):
        s.markers[who] = p.markers
        cite(MM_S9, who, p.markers)
    s.turn = NONE
    s.phase = FIRST


def weight_first(p, s, who):
    return 1


def do_first(p, s, who):
    """MMQ-4: the first player is drawn."""
    s.first = who
    s.active = who
    cite(MMQ_4, who)
    s.phase = DEALING


def do_deal(p, s, luck):
    """MM-S1, MM-S3 to MM-S6: maids, tea and the stacks."""
    s.deck = deal(s.deck, s.hand, p.dealt, s.players, luck)
    refill(p, s, mix(luck, 90))
    cite(MM_S4, NONE, count(s.port))
    stack_up(p, s, mix(luck, 91))
    ask(s, KEEP, s.first)


def stack_up(p, s, luck):
    """MM-S5, MM-S6, MM-S7: a department of the top cost on each stack, the others under them at random."""
    tops = new_row(len(p.card_cost))
    rest = new_row(len(p.card_cost))
    n_tops = 0
    n_rest = 0
    for card in cards(s.box):
        if p.card_cost[card] == p.top_cost and not p.card_reward[card]:
            tops[n_tops] = card
            n_tops += 1
    shuffle(tops, n_tops, luck)
    for slot in range(len(s.top)):
        s.top[slot] = tops[slot]
        s.box ^= bit(tops[slot])
    for card in cards(s.box):
        rest[n_rest] = card
        n_rest += 1
    shuffle(rest, n_rest, mix(luck, 99))
    for i in range(n_rest):
        s.under[i % len(s.top)][i // len(s.top)] = rest[i]
    s.box = 0
    cite(MM_S5, NONE, n_rest + len(s.top))
    cite(MM_S6, NONE, p.top_cost)


def legal_keep(p, s):
    return s.hand[s.turn]


def forbids_keep(p, s, maid):
    return ALLOWED if holds(s.hand[s.turn], maid) else MM_S1


def do_keep(p, s, maid):
    """MM-S1, MM-S2, MM-S8, MMQ-2, MMQ-3: the first maid, and the coins that her cost brings."""
    me = s.turn
    s.hand[me] ^= bit(maid)
    s.maids[me] = bit(maid)
    s.at[start_space(p)] |= bit(maid)
    cite(MM_S1, me, maid)
    cheaper = p.maid_cost[maid] - p.lowest_cost
    if 0 <= cheaper < p.start_coins_count:
        s.draws[me] = p.start_coins[cheaper]
        cite(MM_S2, me, s.draws[me])
    tally(p, s)
    s.turn = left_of(s, me)
    if s.turn != s.first:
        return
    for who in seats(s):
        if p.unchosen == TO_THE_DISCARD:
            s.discard |= s.hand[who]
        else:
            s.deck |= s.hand[who]
        s.hand[who] = 0
    s.show = 1
    then(s, BEGIN)
    draw(s)


def do_draw(p, s, luck):
    do_all_draws(p, s, luck)
    go_on(p, s)


# ---------------------------------------------------------------- the end


def score(p, s, who):
    return s.departments[who]


def won(p, s, who):
    return s.winner[who]


# ---------------------------------------------------------------- what follows from the rest, and what cannot be


def derive(p, s):
    """Markers at hand and counts, from where markers, maids and cards are."""
    tally(p, s)


def unsound(p, s):
    """Which rule a poked position contradicts."""
    for who in seats(s):
        if s.markers[who] < 0:
            return MM_S9
        if standing(s, who) & ~on_board(s):
            return MM_S8
        for other in seats(s):
            if other != who and s.maids[who] & s.maids[other]:
                return MM_S1
    if s.turn != NONE and legal_kept(p, s) and holds(legal_kept(p, s), s.turn):
        return MM_K2
    return MM_S1 if everybody(s) & ~(on_board(s) | s.down) else ALLOWED


def on_board(s):
    found = 0
    for space in range(len(s.at)):
        found |= s.at[space]
    return found


def everybody(s):
    found = 0
    for who in seats(s):
        found |= s.maids[who]
    return found
