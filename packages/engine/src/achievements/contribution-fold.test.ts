import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openSources } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './achievements.test-kit.ts'
import { contributionFold } from './fold/index.ts'
import type { Scanned } from './history.ts'

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/', import.meta.url))

/** The summed values of all sessions of a source. */
async function sums(name: string, env: Readonly<Record<string, string>>) {
  const source = openSources(env).find((one) => one.name === name)
  if (!source) throw new Error(`there is no ${name}`)
  const fold = contributionFold(new Set())
  const total: Record<string, number> = { sessions: 0 }
  for await (const listed of source.list()) {
    if (listed.kind === 'failed') throw new Error(listed.failure.message)
    total.sessions = (total.sessions ?? 0) + 1
    const run = fold.start(name, listed)
    if (run === undefined) throw new Error(`the fold takes no sessions of ${name}`)
    for await (const record of source.read(listed)) {
      if (record.kind === 'failed') throw new Error(record.failure.message)
      if (record.kind !== 'session') run.take(record)
      else
        for (const [key, value] of Object.entries(
          (run.end(record.session).value as Scanned).contribution.values,
        ))
          total[key] = (total[key] ?? 0) + value
    }
  }
  return total
}

describe('sessions of other agents', () => {
  it("of Codex count by Hermes' names for its tools", async () => {
    const home = tempFolder()
    cpSync(join(FIXTURES, 'codex', '0.166.0'), join(home, '.codex'), { recursive: true })
    expect(await sums('codex', { HOME: home })).toMatchObject({
      terminal_calls: 4,
      patch_calls: 1,
      delegate_calls: 2,
    })
  })

  it("of OpenCode count by Hermes' names for its tools", async () => {
    const home = tempFolder()
    const folder = join(home, '.local', 'share', 'opencode')
    mkdirSync(folder, { recursive: true })
    const db = new DatabaseSync(join(folder, 'opencode.db'), { enableForeignKeyConstraints: false })
    for (const name of ['schema.sql', 'recording.sql'])
      db.exec(readFileSync(join(FIXTURES, 'opencode', name), 'utf8'))
    db.close()
    expect(await sums('opencode', { HOME: home })).toMatchObject({
      // One session is a fork; what it copied counts in the original.
      terminal_calls: 2,
      file_reads_searches: 1,
      file_tool_calls: 2,
      delegate_calls: 1,
    })
  })

  it("of Claude Code count by Hermes' names for its tools", async () => {
    const home = tempFolder()
    const projects = join(home, '.claude', 'projects')
    cpSync(join(FIXTURES, 'claude-code', 'transcripts'), projects, { recursive: true })
    expect(await sums('claude-code', { HOME: home })).toMatchObject({
      sessions: 4,
      terminal_calls: 6,
      patch_calls: 1,
      file_reads_searches: 7,
      file_tool_calls: 9,
      delegate_calls: 3,
      tool_call_count: 19,
    })
  })
})
