import type { JournalFile } from './file.ts'
import { agentOfRow } from './rows.ts'
import { keyOf, type WantedLine } from './wanted.ts'

const SESSION = /"session_id":"([^"\\]*)"/

/** Puts rows in the place of those of the same agents, and at the end where somebody took theirs away. */
export async function replaceRows(file: JournalFile, rows: readonly WantedLine[]): Promise<void> {
  const sessions = new Set(rows.map(({ session_id }) => session_id))
  let left = new Map<string, WantedLine>()
  await file.rewrite(() => {
    left = new Map(rows.map((row) => [keyOf(row), row]))
    return (line) => {
      const session = SESSION.exec(line)?.[1]
      if (session !== undefined && !sessions.has(session)) return undefined
      const agent = agentOfRow(line)
      const key = agent && keyOf({ ...agent, line: agent.agent_id })
      const row = key === undefined ? undefined : left.get(key)
      if (key === undefined || row === undefined) return undefined
      left.delete(key)
      return row.text === line ? undefined : row.text
    }
  })
  await file.append([...left.values()].map(({ text }) => text))
}
