import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LedgerAgentsReply, LedgerClaimsReply } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { QueryParams } from '../../json-requests.ts'
import { reply, asked as wrote } from '../sessions/sessions.test-kit.ts'
import { type Said, saidIn } from '../templates/templates.test-kit.ts'
import { readRows } from './access.ts'
import { agents, outcomeText } from './agents.ts'
import { budgets } from './budgets.ts'
import { claimMark, claims } from './claims.ts'
import { costs } from './costs.ts'
import { followUps } from './follow-ups.ts'
import { outcomes } from './outcomes.ts'

const RECORDED = join(import.meta.dirname, '../../../../../fixtures/claude-code/transcripts')

let home: string
let said: Said
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-ledger-'))
  mkdirSync(join(home, '.claude'), { recursive: true })
  cpSync(RECORDED, join(home, '.claude', 'projects'), { recursive: true })
  said = saidIn(home)
})
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))

const PAGE = { offset: 0 }

describe('outcomes and costs without a daemon', () => {
  it('lists all agents, or those with one outcome', async () => {
    await agents(said.context, PAGE)
    expect((said.document() as LedgerAgentsReply).total).toBe(7)
    await agents(said.context, { ...PAGE, outcome: 'partial' })
    expect(said.document()).toMatchObject({ total: 1, agents: [{ outcome: 'partial', stubs: 2 }] })
    expect(said.text()).toMatch(/ea691ccd +count +notes +partial +2 +2 /)
    await agents(said.context, { ...PAGE, outcome: 'functional', csv: true })
    const [head, row, ...more] = said.text().split('\n')
    expect(head?.split(',').slice(0, 4)).toEqual(['agent_id', 'outcome', 'stubs', 'ts'])
    expect(row).toContain('a74ba0b63b86e7795,functional,0,2026-')
    expect(row).toContain('"{""Bash"":1,""Read"":1}"')
    expect(more).toEqual([])
    await agents(said.context, { ...PAGE, session: 'ea691' })
    expect((said.document() as LedgerAgentsReply).total).toBe(4)
    await agents(said.context, { limit: 2, offset: 0 })
    expect(said.text().split('\n').at(-1)).toBe('5 more (--limit, --offset)')
  })

  it('marks an agent that says it is done while its transcript shows otherwise', () => {
    const evidence = { source: 'x', session_id: 's', agent_id: 'main', n: 1, tool_use_id: null, quote: null }
    const flag = { kind: 'stubs', says: '1 stub remains', evidence } as const
    expect(outcomeText({ outcome: 'functional', flags: [flag] })).toBe("functional (says done but isn't)")
    expect(outcomeText({ outcome: 'functional', flags: [] })).toBe('functional')
    expect(outcomeText({ outcome: null, flags: [] })).toBe('none')
  })

  it('fetches every row for programs, page by page', async () => {
    const all = Array.from({ length: 2_345 }, (_, n) => n)
    const asked: unknown[] = []
    const ask = async (query: QueryParams) => {
      asked.push(query)
      const from = Number(query.offset ?? 0)
      return { total: all.length, rows: all.slice(from, from + Number(query.limit)) }
    }
    const rowsOf = ({ rows }: { readonly rows: number[] }) => rows
    expect((await readRows({ json: true }, { project: 'x' }, ask, rowsOf)).rows).toEqual(all)
    expect(asked).toHaveLength(3)
    expect((await readRows({ json: false }, { csv: true, offset: 2_000 }, ask, rowsOf)).rows).toHaveLength(
      345,
    )
    expect((await readRows({ json: false }, {}, ask, rowsOf)).rows).toHaveLength(50)
    expect((await readRows({ json: true }, { limit: 7 }, ask, rowsOf)).rows).toHaveLength(7)
  })

  it('lists claims with their checks, and the follow-ups', async () => {
    await claims(said.context, PAGE)
    const { claims: listed } = said.document() as LedgerClaimsReply
    expect(listed.map(({ evidence_tier }) => evidence_tier).sort()).toEqual([
      'ESTIMATE-HTC',
      'FROM-JOURNAL',
      'REAL',
    ])
    await claims(said.context, { ...PAGE, tier: 'REAL', csv: true })
    expect(said.text().split('\n')).toHaveLength(2)
    await followUps(said.context, PAGE)
    expect(said.text()).toContain('count hidden files')
  })

  it('shows by what factor an estimate was off instead of calling it false', () => {
    const check = { verdict: 'fails', says: 'Took 90 s', evidence: null } as const
    const estimate = { quantity: 'duration', said: 240_000, took: 90_000, evidence: null } as const
    const off = { check, estimate, evidence_tier: 'ESTIMATE-HTC' } as const
    expect(claimMark(off)).toBe('off ×0.4,')
    expect(claimMark({ ...off, estimate: null })).toBe('off,')
    expect(claimMark({ ...off, evidence_tier: 'REAL' })).toBe('✕')
    expect(claimMark({ ...off, check: { ...check, verdict: 'holds' } })).toBe('✓')
  })

  it('adds up costs by model or project, and outcomes by type', async () => {
    await costs(said.context, { by: 'model' })
    expect(said.document()).toMatchObject([{ name: 'claude-opus-4-8', sessions: 4 }, { sessions: 1 }])
    await costs(said.context, { by: 'project', split: 'model', csv: true })
    expect(said.text().split('\n')[1]).toMatch(/^notes,claude-opus-4-8,4,19,/)
    await outcomes(said.context, {})
    expect(said.text()).toMatch(/^type +agents +functional/)
    await budgets(said.context, {})
    expect(said.text()).toContain('No budgets are set')
  })

  it('leaves the cost of an unpriced model empty in CSV, and does not split rows by model twice', async () => {
    const other = mkdtempSync(join(tmpdir(), 'panoptes-ledger-costs-'))
    onTestFinished(() => rmSync(other, { recursive: true, force: true, maxRetries: 5 }))
    const project = join(other, '.claude', 'projects', '-x')
    mkdirSync(project, { recursive: true })
    const timestamp = new Date().toISOString()
    const rows = [
      wrote('go'),
      reply('m1', 'mystery-model', { input_tokens: 10 }),
      reply('m2', 'claude-opus-4-8', { input_tokens: 100_000 }),
    ].map((row, n) => JSON.stringify({ ...row, uuid: `u${n}`, cwd: '/x', timestamp }))
    writeFileSync(join(project, 'one.jsonl'), `${rows.join('\n')}\n`)
    mkdirSync(join(other, '.panoptes'))
    writeFileSync(join(other, '.panoptes', 'config.yaml'), 'budgets: {limits: [{per: month, usd: 2}]}\n')
    const { context, text } = saidIn(other)
    await costs(context, { by: 'model', split: 'model' })
    expect(text()).toMatch(/^model +sessions/)
    expect(text()).toMatch(/^mystery-model .* – +– +–$/m)
    await costs(context, { by: 'model', csv: true })
    expect(text()).toMatch(/^mystery-model,[^,]*,1,1,10,0,0,0,,1,0,,,1$/m)
    expect(text()).toMatch(/^claude-opus-4-8,[^,]*,1,1,100000,0,0,0,0\.5,0,0,0,,1$/m)
    await budgets(context, {})
    expect(text()).toMatch(/^This month +\$0\.50 \+ 1 unknown +\$2\.00 +25 % +under/m)
    writeFileSync(join(project, 'one.jsonl'), `${rows.slice(0, 2).join('\n')}\n`)
    await budgets(context, { csv: true })
    expect(text()).toMatch(/^This month,month,,,,2,1,under,/m)
    await agents(context, { ...PAGE, all: true })
    expect(text()).toMatch(/^at work +one /m)
  })

  it('rejects unknown filter values as usage errors', async () => {
    for (const wrong of [
      () => agents(said.context, { ...PAGE, outcome: 'great' }),
      () => claims(said.context, { ...PAGE, tier: 'real' }),
      () => costs(said.context, { by: 'color' }),
    ])
      await expect(wrong()).rejects.toMatchObject({ code: 'usage', exit: 2 })
  })
})
