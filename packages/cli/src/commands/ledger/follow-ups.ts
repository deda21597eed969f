import type { Context } from '../../context.ts'
import { count } from '../../terminal/words.ts'
import { dateTime, plain } from '../sessions/words.ts'
import { type Asked, withLedger } from './access.ts'
import { answerTable } from './answer.ts'

export async function followUps(
  context: Context,
  options: Asked & { readonly csv?: boolean },
): Promise<void> {
  const { csv, ...query } = options
  const reply = await withLedger(context, (ledger) => ledger.followUps(query))
  const left = reply.total - reply.followups.length
  answerTable(
    context,
    { csv: csv === true },
    {
      rows: reply.followups,
      head: ['said', 'project', 'agent', 'to do'],
      cells: (one) => [
        dateTime(one.ts),
        plain(one.project ?? '–', 24),
        plain(one.subagent_type ?? one.agent_id, 24),
        plain(one.text, 300),
      ],
      words: [0, 1, 2, 3],
      cut: { 3: 30, 1: 8, 2: 8 },
      drop: [2],
      csvHead: ['ts', 'text', 'project', 'type', 'agent_id', 'session_id', 'source'],
      csvCells: (one) => [
        new Date(one.ts).toISOString(),
        one.text,
        one.project,
        one.subagent_type,
        one.agent_id,
        one.session_id,
        one.source,
      ],
      document: reply,
      empty: ['Nothing is left to follow up, as far as agents say'],
      foot: left > 0 ? [`${count(left)} more (--limit, --offset)`] : [],
    },
  )
}
