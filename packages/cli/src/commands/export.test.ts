import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome } from '@panoptes/engine/home'
import { openSqliteStore } from '@panoptes/engine/store'
import type { NewEvent } from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../daemon/access.ts'
import { placeOfHome } from '../daemon/place.ts'
import { orFail } from '../failure.ts'
import { backup } from './backup.ts'
import { configPath, getConfig, setConfig, showConfig } from './config.ts'
import { exportEvents } from './export.ts'
import { saidIn } from './sessions/sessions.test-kit.ts'

const event = (n: number, more: Partial<NewEvent>): NewEvent => ({
  v: 1,
  key: `k${n}`,
  ts: n * 1_000,
  event: 'prompt',
  source: 'custom',
  host: 'studio',
  session_id: 's1',
  ...more,
})

async function home(events: readonly NewEvent[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-commands-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const said = saidIn(folder)
  orFail(await createHome(said.context.paths))
  if (events.length > 0) {
    const store = await openStore(said.context, await placeOfHome(said.context))
    orFail(await store.append(events))
    await store.close()
  }
  return { ...said, file: (name: string) => join(folder, name) }
}
const EVENTS = [
  event(1, {}),
  event(2, { event: 'tool_use', agent_id: 'a', id: 't', tool: 'Bash' }),
  event(3, { session_id: 's2', event: 'session_end' }),
  event(4, { source: 'codex' }),
]

describe('panoptes export', () => {
  it('writes the events that match every filter in order, one per line', async () => {
    const { context, file, document } = await home(EVENTS)
    const keys = async (filter: object) => {
      await exportEvents(context, file('out.ndjson'), { ...filter, force: true })
      const lines = readFileSync(file('out.ndjson'), 'utf8').split('\n').slice(0, -1)
      expect(document()).toMatchObject({ ok: true, events: lines.length })
      return lines.map((line) => (JSON.parse(line) as { key: string }).key)
    }
    expect(await keys({})).toEqual(['k1', 'k2', 'k3', 'k4'])
    expect(await keys({ session: 's1' })).toEqual(['k1', 'k2', 'k4'])
    expect(await keys({ session: 's1', source: 'codex' })).toEqual(['k4'])
    expect(await keys({ kind: 'tool_use,session_end,' })).toEqual(['k2', 'k3'])
    expect(await keys({ agent: 'a' })).toEqual(['k2'])
    expect(await keys({ since: 2_000, until: 3_500 })).toEqual(['k2', 'k3'])
    expect(await keys({ text: 'Bash' })).toEqual(['k2'])
  })

  it('overwrites a file only with --force, and never a file of Panoptes', async () => {
    const { context, file } = await home(EVENTS)
    writeFileSync(file('mine'), 'mine')
    await expect(exportEvents(context, file('mine'), {})).rejects.toMatchObject({ code: 'exists' })
    await expect(exportEvents(context, file('no/such'), {})).rejects.toMatchObject({ code: 'not_found' })
    await expect(exportEvents(context, context.paths.store, { force: true })).rejects.toMatchObject({
      code: 'kept',
    })
    expect(readFileSync(file('mine'), 'utf8')).toBe('mine')
  })
})

describe('panoptes backup', () => {
  it('copies every event into a new store, and replaces a file only with --force', async () => {
    const { context, file, document, text } = await home(EVENTS)
    writeFileSync(file('copy.db'), 'mine')
    await expect(backup(context, file('copy.db'), {})).rejects.toMatchObject({ code: 'exists' })
    await backup(context, file('copy.db'), { force: true })
    expect(document()).toMatchObject({ ok: true, events: 4, path: file('copy.db') })
    expect(text()).toMatch(/^4 events, .* in /)
    const copy = orFail(await openSqliteStore(file('copy.db')))
    const read = orFail(await copy.read({ after: 0, limit: 10 }))
    await copy.close()
    expect(read.rows).toHaveLength(4)
  })
})

describe('panoptes config', () => {
  it('sets one value, keeps other values and comments, and shows where each value comes from', async () => {
    const { context, text, document } = await home()
    writeFileSync(context.paths.config, '# mine\nlog: {level: debug}\n')
    await setConfig(context, 'server.port', '8399')
    expect(text()).toContain('server.port is now 8399')
    expect(readFileSync(context.paths.config, 'utf8')).toMatch(/^# mine\nlog: *\{ *level: debug *\}/)
    await getConfig(context, 'server.port')
    expect(text()).toBe('8399')
    expect(document()).toMatchObject({ key: 'server.port', value: 8_399, from: 'file' })
    await getConfig(context, 'log.level')
    expect([text(), document()]).toMatchObject(['debug', { line: 2 }])
    await getConfig(context, 'server')
    expect(text()).toMatch(/^server\.port +8399 +line \d$/m)
    expect(text()).toMatch(/^server\.host .* default$/m)
    await showConfig(context)
    expect(text()).toMatch(/log\.level +"debug" +line 2/)
    configPath(context)
    expect([text(), document()]).toMatchObject([context.paths.config, { exists: true }])
  })

  it('rejects unknown keys, invalid values and tables, and leaves the file unchanged', async () => {
    const { context } = await home()
    writeFileSync(context.paths.config, 'log: {level: debug}\n')
    await expect(setConfig(context, 'log.levl', 'info')).rejects.toThrow('did you mean log.level?')
    await expect(setConfig(context, 'server.port', 'soon')).rejects.toMatchObject({ exit: 2 })
    await expect(setConfig(context, 'prices.m', '1')).rejects.toMatchObject({ code: 'usage' })
    expect(readFileSync(context.paths.config, 'utf8')).toBe('log: {level: debug}\n')
  })
})
