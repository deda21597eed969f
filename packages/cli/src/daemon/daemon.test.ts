import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateNewEvents } from '@panoptes/engine/demo'
import { openSqliteStore } from '@panoptes/engine/store'
import { type Config, check, config } from '@panoptes/schema'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { chooseHost, exposure, moveAdvice } from './host.ts'
import { portTaken } from './port.ts'
import { keepWithinLimits, policyOf } from './retention.ts'

const settings = (input: object): Config => {
  const checked = check(config, input)
  if (!checked.ok) throw new Error('wrong settings')
  return checked.value
}

describe('the listen address', () => {
  it('is this computer unless the command line names another one', () => {
    expect(chooseHost(settings({}), undefined)).toBe('127.0.0.1')
    expect(chooseHost(settings({ server: { host: '::1' } }), undefined)).toBe('::1')
    expect(chooseHost(settings({}), '0.0.0.0')).toBe('0.0.0.0')
  })

  it('is refused if only the config exposes it to other computers', () => {
    const open = settings({ server: { host: '0.0.0.0' } })
    expect(() => chooseHost(open, undefined)).toThrow(/0\.0\.0\.0, which other computers can reach/)
    expect(chooseHost(open, '0.0.0.0')).toBe('0.0.0.0')
  })

  it('has a warning if other computers can reach it', () => {
    expect(exposure('127.0.0.1')).toBeNull()
    expect(exposure('0.0.0.0')).toContain('plain HTTP')
  })
})

describe('the advice for another port', () => {
  it('repeats the requested host and port', () => {
    const runs = 'http://127.0.0.1:8201'
    expect(moveAdvice({ port: 8201 }, runs)).toBeNull()
    expect(moveAdvice({ port: 0, host: '0.0.0.0' }, runs)).toBeNull()
    expect(moveAdvice({ port: 8301 }, runs)).toMatch(/panoptes stop && panoptes up --port 8301$/)
    expect(moveAdvice({ port: 8301, host: '0.0.0.0' }, runs)).toMatch(/up --host 0\.0\.0\.0 --port 8301$/)
  })

  it('repeats the command that found its port taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect((await portTaken('127.0.0.1', port, 'panoptes demo'))?.next).toMatch(/: panoptes demo --port 0$/)
    other.close()
  })
})

describe('the retention policy', () => {
  it('converts days to a timestamp, megabytes to bytes and null to no limit', () => {
    const day = 86_400_000
    const some = settings({ retention: { max_age_days: 2, max_size_mb: 16 } })
    expect(policyOf(some, 10 * day, 'sqlite')).toEqual({ before: 8 * day, maxBytes: 16_777_216 })
    const none = settings({ retention: { max_age_days: null, max_size_mb: null } })
    expect(policyOf(none, 1, 'sqlite')).toEqual({ before: undefined, maxBytes: undefined })
  })

  it('limits a file by retention.max_size_mb and a database only by team.max_size_mb', () => {
    expect(policyOf(settings({}), 1, 'sqlite').maxBytes).toBe(2_147_483_648)
    expect(policyOf(settings({}), 1, 'postgres').maxBytes).toBeUndefined()
    const ofFile = settings({ retention: { max_size_mb: 4_096 } })
    expect(policyOf(ofFile, 1, 'sqlite').maxBytes).toBe(4_294_967_296)
    expect(policyOf(ofFile, 1, 'postgres').maxBytes).toBeUndefined()
    const ofTeam = settings({ team: { max_size_mb: 2_048 } })
    expect(policyOf(ofTeam, 1, 'postgres').maxBytes).toBe(2_147_483_648)
  })

  it('drops a tenth of the events at the start if the oldest are too old', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'panoptes-retention-'))
    const opened = await openSqliteStore(join(folder, 'ledger.db'))
    if (!opened.ok) throw new Error(opened.message)
    const store = opened.value
    const old = [...generateNewEvents({ seed: 1, events: 20, start: Date.now() - 40 * 86_400_000 })]
    const fresh = [...generateNewEvents({ seed: 2, events: 5, start: Date.now() - 3_600_000 })]
    await store.append([...old, ...fresh])
    const limits = settings({ retention: { max_age_days: 30, max_size_mb: null } })
    const end = new AbortController()
    const keeping = keepWithinLimits(store, limits, pino({ level: 'silent' }), end.signal)
    await expect
      .poll(() => store.head())
      .toMatchObject({
        value: { first: 3, last: 25 },
      })
    end.abort()
    await keeping
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
})
