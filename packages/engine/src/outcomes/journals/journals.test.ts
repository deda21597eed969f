import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EventStore } from '@panoptes/engine/store'
import type { Account } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { asOrdinaryUser } from '../../home/ordinary-user.test-kit.ts'
import {
  accountOf,
  agentOf,
  claimOf,
  linesIn,
  NOON,
  openStore,
  tempFolder,
  value,
} from '../outcomes.test-kit.ts'
import { Journals } from './journals.ts'

async function lab(folder = tempFolder()) {
  const store = await openStore(join(folder, 'ledger.db'))
  const journals = open(store, folder)
  const agents = join(folder, 'journals', 'agent-toolstats.jsonl')
  const claims = join(folder, 'journals', 'numeric-claims.jsonl')
  const put = async (accounts: readonly Account[], into = journals) => {
    value(await store.accounts.put(accounts, await into.owing()))
  }
  const keep = async (...accounts: readonly Account[]) => {
    await put(accounts)
    await journals.write(accounts)
    await journals.settle(true)
  }
  return { folder, store, journals, agents, claims, put, keep }
}

const open = (store: EventStore, folder: string) =>
  new Journals({
    folder: join(folder, 'journals'),
    accounts: store.accounts,
    marks: (names) => store.marks(names),
    mark: (marks) => store.append([], marks),
    namesakes: async (sessions) => ({
      ok: true,
      value: sessions.map(({ id }) => ({ source: 'hermes', id })),
    }),
  })

const rows = (file: string) => linesIn(file).map((line) => JSON.parse(line))

describe('journals', () => {
  it('have a line for every finished agent and every claim, with the original keys and units', async () => {
    const { keep, agents, claims } = await lab()
    const done = agentOf('a1', {
      parent_id: 'main',
      outcome: 'partial',
      stubs: 2,
      tool_use_count: 3,
      tool_stats: { Bash: 2, Read: 1 },
      last_at: NOON + 999,
    })
    const working = agentOf('a2', { finished: false })
    const free = agentOf('main', { cost_unknown: 1 })
    await keep(accountOf('s', { agents: [done, working, free], claims: [claimOf('took 5 s | 3 "files"')] }))
    expect(linesIn(agents)[0]).toBe(
      `{"agent_id":"a1","outcome":"partial","stubs":2,"ts":${NOON / 1_000},"tool_use_count":3,"duration_ms":1000,` +
        '"tool_stats":{"Bash":2,"Read":1},"tokens_in":1,"tokens_out":2,"cache_read":null,"cache_write":null,' +
        '"model":"opus","cost_usd":0.0025,"parent_id":"main","session_id":"s","source":"codex"}',
    )
    expect(rows(agents).map(({ agent_id, cost_usd }) => [agent_id, cost_usd])).toEqual([
      ['a1', 0.0025],
      ['main', null],
    ])
    expect(linesIn(claims)).toEqual([
      `{"kind":"claim","value":"took 5 s | 3 \\"files\\"","evidence_tier":"REAL","pointer":"wc -l","ts":${NOON / 1_000},"session_id":"s"}`,
    ])
    expect(statSync(agents).mode & 0o777).toBe(0o600)
    expect(statSync(join(agents, '..')).mode & 0o777).toBe(0o700)
  })

  it('have no duplicate lines, however often an account is stored', async () => {
    const { keep, agents, claims } = await lab()
    const account = accountOf('s', {
      agents: [agentOf('a')],
      claims: [claimOf('x'), claimOf('x'), claimOf('y')],
    })
    await keep(account)
    await keep(account)
    await keep({
      ...account,
      from: 'log',
      claims: account.claims.map((one) => ({ ...one, message_id: 'other', ts: one.ts + 700 })),
    })
    expect([linesIn(agents).length, linesIn(claims).length]).toEqual([1, 3])
  })

  it('replace a line that changed and keep all others byte for byte', async () => {
    const { keep, agents } = await lab()
    await keep(
      accountOf('s', { agents: [agentOf('a'), agentOf('b')] }),
      accountOf('t', { agents: [agentOf('a')] }),
    )
    const [first = '', second = '', third = ''] = linesIn(agents)
    const foreign = Buffer.concat([
      Buffer.from('not ours \xff{"agent_id":"a"}', 'latin1'),
      Buffer.from('\r\n\n  {"x":1}'),
    ])
    writeFileSync(
      agents,
      Buffer.concat([Buffer.from(`${first}\n`), foreign, Buffer.from(`\n${second}\n${third}\n`)]),
    )
    await keep(accountOf('s', { agents: [agentOf('a', { tool_use_count: 9 }), agentOf('b')] }))
    const changed = first.replace('"tool_use_count":0', '"tool_use_count":9')
    expect(readFileSync(agents)).toEqual(
      Buffer.concat([Buffer.from(`${changed}\n`), foreign, Buffer.from(`\n${second}\n${third}\n`)]),
    )
  })

  it('keep the line of an agent that works again until its next end', async () => {
    const { keep, agents } = await lab()
    await keep(accountOf('s', { agents: [agentOf('a')] }))
    await keep(accountOf('s', { agents: [agentOf('a', { finished: false, tokens_out: 5 })] }))
    expect(rows(agents)).toMatchObject([{ tokens_out: 2 }])
    await keep(accountOf('s', { agents: [agentOf('a', { tokens_out: 7 })] }))
    expect(rows(agents)).toMatchObject([{ tokens_out: 7 }])
  })

  it.each([
    ['before anything was written', 0],
    ['after lines were written and not remembered', 1],
    ['in the middle of a line', 2],
  ])('have each line once after a shutdown %s', async (_, where) => {
    const { folder, store: ledger, agents, claims, put } = await lab()
    const account = accountOf('s', {
      agents: [agentOf('a'), agentOf('b')],
      claims: [claimOf('x'), claimOf('x')],
    })
    await put([account])
    if (where > 0) {
      const unremembered = {
        ...ledger.accounts,
        journal: async () => ({ ok: false, code: 'closed', message: '' }) as const,
      }
      const ending = open(
        {
          ...ledger,
          accounts: unremembered,
          marks: ledger.marks.bind(ledger),
          append: ledger.append.bind(ledger),
        } as EventStore,
        folder,
      )
      await ending.write([account])
      expect(linesIn(agents).length).toBe(2)
    }
    if (where === 2) truncateSync(agents, statSync(agents).size - 20)
    const again = open(ledger, folder)
    await again.settle(true)
    expect(rows(agents).map(({ agent_id }) => agent_id)).toEqual(['a', 'b'])
    expect(linesIn(claims).length).toBe(2)
    await again.settle(true)
    await again.write([account])
    expect([linesIn(agents).length, linesIn(claims).length]).toEqual([2, 2])
  })

  it('of an older event store are continued', async () => {
    const first = await lab()
    const account = accountOf('s', { agents: [agentOf('a')], claims: [claimOf('x')] })
    await first.keep(account)
    const journal = readFileSync(first.agents, 'utf8')
    const other = await lab()
    mkdirSync(join(other.folder, 'journals'))
    writeFileSync(other.agents, journal)
    await other.keep(account, accountOf('t', { agents: [agentOf('a')] }))
    expect(rows(other.agents).map(({ session_id }) => session_id)).toEqual(['s', 't'])
  })

  it('that cannot be written report it and are written later', async () => {
    const { keep, journals, folder, agents, claims } = await lab()
    writeFileSync(join(folder, 'journals'), 'in the way')
    await keep(accountOf('s', { agents: [agentOf('a')], claims: [claimOf('x')] }))
    expect(journals.problem).toMatchObject({ ok: false, message: expect.stringContaining('journals') })
    expect(journals.waitMs()).toBeGreaterThan(0)
    rmSync(join(folder, 'journals'))
    await journals.settle()
    expect([linesIn(agents).length, linesIn(claims).length, journals.problem]).toEqual([1, 1, undefined])
  })

  it('in a read-only folder wait', async () => {
    const { put, journals, folder, agents } = await lab()
    const accounts = [accountOf('s', { agents: [agentOf('a')] })]
    await put(accounts)
    mkdirSync(join(folder, 'journals'), { mode: 0o555 })
    chmodSync(folder, 0o755)
    await asOrdinaryUser(async () => {
      await journals.write(accounts)
      await journals.settle(true)
    })
    expect(journals.problem).toMatchObject({ code: 'read_only' })
    chmodSync(join(folder, 'journals'), 0o700)
    await journals.settle()
    expect(linesIn(agents).length).toBe(1)
  })

  it('keep nothing of a partial write on a full disk', () => {
    const file = join(tempFolder(), 'some.jsonl')
    const script = `
      const { JournalFile } = await import(${JSON.stringify(fileURLToPath(new URL('./file.ts', import.meta.url)))})
      const file = new JournalFile(${JSON.stringify(file)})
      await file.append(['first'])
      const failed = await file.append(['x'.repeat(3000), 'y']).then(() => null, ({ code }) => code)
      await file.append(['second'])
      console.log(failed)`
    const node = [process.execPath, '--input-type=module', '-e', script]
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 2; exec "$@"', 'sh', ...node], { encoding: 'utf8' })
    expect(stdout.trim()).toBe('EFBIG')
    expect(linesIn(file)).toEqual(['first', 'second'])
  })

  it('that are not files do not block', async () => {
    const { keep, journals, folder, agents } = await lab()
    mkdirSync(join(folder, 'journals'))
    symlinkSync('/dev/zero', agents)
    await keep(accountOf('s', { agents: [agentOf('a')] }))
    expect(journals.problem?.message).toContain('not a regular file')
    rmSync(agents)
    await journals.settle()
    expect(linesIn(agents).length).toBe(1)
  })

  it('that were deleted continue with the next line', async () => {
    const { keep, agents } = await lab()
    await keep(accountOf('s', { agents: [agentOf('a'), agentOf('b')] }))
    rmSync(agents)
    await keep(accountOf('s', { agents: [agentOf('a', { tool_use_count: 1 }), agentOf('b'), agentOf('c')] }))
    expect(
      rows(agents)
        .map(({ agent_id }) => agent_id)
        .sort(),
    ).toEqual(['a', 'c'])
  })

  it('continue after a foreign line without an end', async () => {
    const { keep, agents } = await lab()
    await keep(accountOf('s', { agents: [agentOf('a')] }))
    appendFileSync(agents, '{"mine":1}')
    await keep(accountOf('t', { agents: [agentOf('a')] }))
    expect(rows(agents).length).toBe(3)
  })

  it('lose the lines of forgotten sessions, but not those of a namesake in another source', async () => {
    const { keep, journals, agents, claims } = await lab()
    const said = [claimOf('x'), claimOf('y')]
    await keep(
      accountOf('s', { agents: [agentOf('a')], claims: said }),
      accountOf('s', { source: 'hermes', agents: [agentOf('a')], claims: [claimOf('y'), claimOf('z')] }),
      accountOf('t', { agents: [agentOf('a')], claims: said }),
    )
    appendFileSync(claims, 'somebody else\n')
    expect(value(await journals.forget([{ source: 'codex', id: 's' }]))).toBe(3)
    expect(rows(agents).map(({ source, session_id }) => `${source} ${session_id}`)).toEqual([
      'hermes s',
      'codex t',
    ])
    expect(linesIn(claims).map((line) => (line.startsWith('{') ? JSON.parse(line).value : line))).toEqual([
      'y',
      'z',
      'x',
      'y',
      'somebody else',
    ])
  })
})
