import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '@panoptes/engine/store'
import type { StoredEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeContext } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { makeProgram } from '../../program.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-record-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})

const panoptes = () => join(home, '.panoptes')

/** Returns the output of the command and its exit code. */
async function record(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  const context = makeContext([...args], { HOME: home, PANOPTES_HOME: panoptes(), ...env })
  try {
    await makeProgram(context, () => undefined).parseAsync(['record-skill', ...args], { from: 'user' })
    return { text: lines.join(''), exit: 0 }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { text: error.message, exit: error.exit }
  } finally {
    vi.restoreAllMocks()
  }
}

async function stored(file = join(panoptes(), 'ledger.db')): Promise<readonly StoredEvent[]> {
  const store = orFail(await openSqliteStore(file))
  const read = orFail(await store.read({ after: 0, limit: 100 }))
  await store.close()
  return read.rows.map(({ json }) => JSON.parse(json))
}

describe('panoptes record-skill', () => {
  it('prints one line and stores the use on each call', async () => {
    const args = [
      'tidy up',
      '--success',
      '1',
      '--agent-id',
      'a1',
      '--trajectory-id',
      't1',
      '--duration-ms',
      '0',
    ]
    const first = await record(args)
    expect(first.text).toMatch(/^\{"ok":true,"skill":"tidy up","ts":\d{10}\}\n$/)
    expect((await record(['tidy up', '--success', '0'])).exit).toBe(0)
    const events = await stored()
    expect(events).toHaveLength(2)
    expect(events[0]).toMatchObject({
      event: 'skill_use',
      source: 'panoptes',
      from_hook: true,
      skill: 'tidy up',
      success: true,
      agent_id: 'a1',
      trajectory_id: 't1',
      duration_ms: 0,
    })
    expect(events[1]).toMatchObject({ success: false })
    expect(events[1]).not.toHaveProperty('agent_id')
  })

  it.each([
    [['', '--success', '1'], 'must not be empty'],
    [['  ', '--success', '1'], 'must not be empty'],
    [['x', '--success', '1', '--duration-ms', '-5'], 'must not be negative'],
    [['x', '--success', '1', '--duration-ms=-1'], 'must not be negative'],
    [['x', '--success', '1', '--duration-ms', 'soon'], 'whole number'],
    [['x', '--success', 'yes'], 'must be one of: 0, 1'],
    [['x'], 'record-skill needs --success: whether it succeeded'],
    [[], 'record-skill needs --success'],
    [['a\0b', '--success', '1'], 'the name of the skill contains invalid characters'],
  ])('rejects %j with exit code 2 and stores nothing', async (args, why) => {
    const refused = await record(args)
    expect(refused).toMatchObject({ exit: 2 })
    expect(refused.text).toContain(why)
    expect(existsSync(panoptes())).toBe(false)
  })

  it('stores nothing with SKILL_RECORD_BYPASS, and says so', async () => {
    const said = await record(['x', '--success', '1'], { SKILL_RECORD_BYPASS: '1' })
    expect(said.exit).toBe(0)
    expect(JSON.parse(said.text)).toMatchObject({ ok: true, skill: 'x', bypassed: true })
    expect(existsSync(panoptes())).toBe(false)
  })

  it('writes to the store named with --db, but to no database of another program', async () => {
    const other = join(home, 'other.db')
    expect((await record(['x', '--success', '1', '--db', other])).exit).toBe(0)
    expect(await stored(other)).toHaveLength(1)
    expect(existsSync(panoptes())).toBe(false)
    const foreign = join(home, 'foreign.sqlite')
    const db = new DatabaseSync(foreign)
    db.exec('CREATE TABLE agents (id TEXT); PRAGMA user_version = 9')
    db.close()
    const before = readFileSync(foreign)
    const refused = await record(['x', '--success', '1', '--db', foreign])
    expect(refused).toMatchObject({ exit: 1 })
    expect(refused.text).toContain('another program')
    expect(readFileSync(foreign)).toEqual(before)
    writeFileSync(join(home, 'text'), 'no database at all, just words')
    expect((await record(['x', '--success', '1', '--db', join(home, 'text')])).exit).toBe(1)
  })

  it('queues the use in events.jsonl while another process holds the store', async () => {
    const held = orFail(await openSqliteStore(join(panoptes(), 'ledger.db')))
    const said = await record(['x', '--success', '1'])
    expect(said).toMatchObject({ exit: 0 })
    const line = JSON.parse(readFileSync(join(panoptes(), 'events.jsonl'), 'utf8'))
    expect(line).toMatchObject({ event: 'skill_use', skill: 'x', success: true })
    const other = await record(['x', '--success', '1', '--db', join(panoptes(), 'ledger.db')])
    expect(other.exit).toBe(0)
    await held.close()
  })

  it('fails if a store named with --db is in use', async () => {
    const other = join(home, 'other.db')
    const held = orFail(await openSqliteStore(other))
    expect(await record(['x', '--success', '1', '--db', other])).toMatchObject({ exit: 4 })
    await held.close()
  })
})
