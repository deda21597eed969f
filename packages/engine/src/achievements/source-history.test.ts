import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openSources } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './achievements.test-kit.ts'
import { openSourceHistory } from './source-history.ts'

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/', import.meta.url))
const never = new AbortController().signal

/** The summed values of all sessions of a source. */
async function sums(name: string, env: Readonly<Record<string, string>>) {
  const source = openSources(env).find((one) => one.name === name)
  if (!source) throw new Error(`there is no ${name}`)
  const history = openSourceHistory(source)
  const listed = await history.list(never)
  if ('ok' in listed) throw new Error(listed.message)
  const scanned = await history.scan(listed.sessions, never)
  if ('ok' in scanned) throw new Error(scanned.message)
  const total: Record<string, number> = { sessions: listed.sessions.length }
  for (const one of scanned) {
    if ('ok' in one) throw new Error(one.message)
    for (const [key, value] of Object.entries(one.contribution.values)) total[key] = (total[key] ?? 0) + value
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
