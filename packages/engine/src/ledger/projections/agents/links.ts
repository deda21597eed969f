import { type Rows, rowKey } from '../projection.ts'
import { mergeRows } from './merge.ts'
import { type AgentRow, isAgentRow, MAIN, type Row, type SessionRow } from './row.ts'
import { madeByCall, noteMaker } from './session.ts'

const MOST_UNMET = 200

/** The call that made an agent became known: what was told under the call's name is the agent's. */
export function remember(
  rows: Rows<Row>,
  group: string,
  session: SessionRow,
  {
    id,
    tool_use_id: call,
  }: { readonly id?: string | null | undefined; readonly tool_use_id?: string | null | undefined },
): void {
  if (!id || !call || id === call || madeByCall(session, call) === id) return
  noteMaker(session, call, id)
  const before = rows.get(rowKey(group, call))
  if (isAgentRow(before)) {
    rows.remove(rowKey(group, call))
    const own = rows.get(rowKey(group, id))
    rows.set(rowKey(group, id), isAgentRow(own) ? mergeRows(own, before) : { ...before, id })
  } else if (!session.unmet.includes(call)) return
  session.unmet = session.unmet.filter((name) => name !== call)
  for (const [key, row] of rows.group(group)) {
    if (!isAgentRow(row) || row.parent_id !== call) continue
    row.parent_id = row.id === id ? MAIN : id
    rows.set(key, row)
  }
}

/** A parent that nobody told of may turn out to be a call's name. */
export function noteParent(rows: Rows<Row>, group: string, session: SessionRow, row: AgentRow): void {
  const parent = row.parent_id
  if (parent === null || parent === MAIN || session.unmet.includes(parent)) return
  if (rows.get(rowKey(group, parent)) === undefined)
    session.unmet = [...session.unmet, parent].slice(-MOST_UNMET)
}
