import { describe, expect, it } from 'vitest'
import { busWords } from '../commands/status.ts'
import { makeOutput } from '../terminal/output.ts'
import { announce } from './announce.ts'
import { busWarning } from './open-bus.ts'
import type { UpDocument } from './up-document.ts'

const news: UpDocument = {
  ok: true,
  already_running: false,
  pid: 1,
  port: 8201,
  address: 'http://127.0.0.1:8201',
  link: 'http://127.0.0.1:8201/?link=x',
  version: '1.0.0',
  home: '/home/ada/.panoptes',
  ledger: '/home/ada/.panoptes/ledger.db',
  hub: null,
  page_problem: null,
  warning: null,
  found: [],
  hooks: {
    connected: [],
    installed: [],
    not_connected: ['claude-code'],
    script: 'absent',
    script_problem: null,
    script_refreshed: false,
  },
}
const said = (more: Partial<UpDocument>) =>
  announce(makeOutput([], {}), { ...news, ...more }, { opened: false, detached: true }).join('\n')

describe('the next steps of panoptes up', () => {
  it('suggests hooks and the demo for local agents on a single computer', () => {
    expect(said({})).toMatch(/hooks install claude-code[\s\S]*demo[\s\S]*POST \/events/)
    expect(said({})).not.toContain('forward')
  })

  it('suggests tokens and people on a hub', () => {
    const hub = said({ hub: 'https://panoptes.example', ledger: 'db/team (space_main)' })
    expect(hub).toMatch(/team tokens create[\s\S]*forward --to https:\/\/panoptes\.example --token-file/)
    expect(hub).toMatch(/team users add[\s\S]*doctor --team/)
    expect(hub).not.toMatch(/hooks install|demo|POST \/events/)
  })
})

describe('the bus in the output of panoptes up and status', () => {
  const bus = { where: '127.0.0.1:4222', taking: true, waiting: 0, lag_ms: 0, problem: null }

  it('warns about a bus only if it has a problem, and says what to do', () => {
    expect(busWarning(undefined)).toBeNull()
    expect(busWarning(bus)).toBeNull()
    const problem = 'The bus at 127.0.0.1:4222 does not answer (refused). Try again in a moment.'
    expect(busWarning({ ...bus, taking: false, problem })).toMatch(
      /does not answer \(refused\)\. Until .* NATS/,
    )
    expect(busWarning({ ...bus, taking: false })).toContain('has not answered yet')
    expect(busWarning({ ...bus, problem: 'The database is away.' })).toContain('wait in the bus')
  })

  it('shows the address of the bus, whether it accepts events and how many messages wait', () => {
    expect(busWords(bus)).toBe('127.0.0.1:4222: accepts events, nothing is waiting')
    expect(busWords({ ...bus, waiting: 1, lag_ms: 2_000 })).toBe(
      '127.0.0.1:4222: accepts events, 1 message waiting, the oldest for 2 s',
    )
    expect(busWords({ ...bus, taking: false })).toBe('127.0.0.1:4222: does not accept events')
  })
})
