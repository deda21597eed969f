import type { MoaTurn } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { fitColumns } from '../../terminal/column-widths.ts'
import { columns, count, plural } from '../../terminal/format.ts'
import { dateTime, plain } from '../sessions/format.ts'
import { type TurnQuery, withMoa } from './access.ts'
import { countSlots, moneyText, shortId, turnTime } from './format.ts'

export async function turns(context: Context, wish: TurnQuery): Promise<void> {
  const reply = await withMoa(context, 'read', (moa) => moa.turns(wish))
  const { total, turns: found } = reply
  const more = total - wish.offset - found.length
  context.output.answer(
    found.length === 0
      ? ['No turns yet', 'Ask a preset with: panoptes moa run "…"']
      : [
          ...columns(fitColumns(found.map(row), { width: context.output.width, ...NARROW }), ''),
          ...(more > 0 ? ['', `${plural(more, 'older turn')}; --limit and --offset show more`] : []),
        ],
    reply,
  )
}

/** Narrow terminals cut the question, session and preset, then drop the session and the time. */
const NARROW = { indent: 0, text: { 2: 8, 3: 8, 8: 12 }, drop: [3, 6] }

const row = (turn: MoaTurn): string[] => [
  dateTime(turn.started_at),
  shortId(turn.id),
  plain(turn.preset, 30),
  plain(turn.session_id, 24),
  turn.replay_of === null ? turn.status : `${turn.status}, replay of ${shortId(turn.replay_of)}`,
  `${count(countSlots(turn.slots, 'reference'))} + ${count(countSlots(turn.slots, 'aggregator'))} calls`,
  turnTime(turn),
  moneyText(turn.cost_micro_usd, turn.cost_unknown),
  turn.of_other ? 'asked by someone else' : plain(turn.question, 48),
]
