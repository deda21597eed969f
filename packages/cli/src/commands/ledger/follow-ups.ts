import type { Context } from '../../context.ts'
import type { QueryParams } from '../../json-requests.ts'
import { count } from '../../terminal/format.ts'
import { dateTime, plain, shortIds } from '../sessions/format.ts'
import { readRows, withLedger } from './access.ts'
import { printTable } from './format.ts'

export async function followUps(
  context: Context,
  options: QueryParams & { readonly csv?: boolean },
): Promise<void> {
  const { csv } = options
  const reply = await withLedger(context, (store) =>
    readRows(context.output, options, store.followUps, ({ followups }) => followups),
  )
  const short = shortIds(reply.followups.map(({ session_id }) => session_id))
  const left = reply.total - reply.followups.length
  printTable(
    context,
    { csv: csv === true },
    {
      rows: reply.followups,
      head: ['said', 'session', 'project', 'agent', 'to do'],
      cells: (one) => [
        dateTime(one.ts),
        plain(short(one.session_id), 40),
        plain(one.project ?? '–', 24),
        plain(one.subagent_type ?? one.agent_id, 24),
        plain(one.text, 300),
      ],
      words: [0, 1, 2, 3, 4],
      cut: { 4: 30, 2: 8, 3: 8 },
      drop: [3],
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
      empty: ['No follow-ups'],
      foot: left > 0 ? [`${count(left)} more (--limit, --offset)`] : [],
    },
  )
}
