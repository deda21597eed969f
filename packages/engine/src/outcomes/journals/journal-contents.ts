import { claimOfLine, lineKey, type WantedLine } from './expected-lines.ts'
import type { JournalFile } from './file.ts'
import { agentOfRow, claimOfRow, digest } from './rows.ts'

/** The content of the journals, for when it is uncertain what was written last. */
export class JournalContents {
  readonly #agents = new Map<string, string>()
  readonly #claims = new Map<string, number>()

  static async in(agents: JournalFile, claims: JournalFile): Promise<JournalContents> {
    const found = new JournalContents()
    await agents.mend((line) => line.startsWith('{"agent_id":'))
    await claims.mend((line) => line.startsWith('{"kind":"claim",'))
    await agents.each((line) => {
      const agent = agentOfRow(line)
      if (agent) found.#agents.set(lineKey({ ...agent, line: agent.agent_id }), digest(line))
    })
    await claims.each((line) => {
      const claim = claimOfRow(line)
      if (claim === undefined) return
      const key = JSON.stringify([claim.session_id, claim.says])
      found.#claims.set(key, (found.#claims.get(key) ?? 0) + 1)
    })
    return found
  }

  /** Returns the mark of the existing line that corresponds to this one. */
  findMark(line: WantedLine): string | undefined {
    if (line.journal === 'agents') return this.#agents.get(lineKey(line))
    const { says, before } = claimOfLine(line.line)
    const count = this.#claims.get(JSON.stringify([line.session_id, says])) ?? 0
    return count > before ? line.mark : undefined
  }
}
