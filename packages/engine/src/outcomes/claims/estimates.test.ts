import type { Message } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { answers, calls, message, says } from '../tool-calls/messages.test-kit.ts'
import { checked, START } from './claims.test-kit.ts'

const MINUTE = 60_000
const at = (minutes: number, more: Partial<Message> = {}) => ({ ts: START + minutes * MINUTE, ...more })
const prompt = (minutes: number) => message('user', [{ type: 'text', text: 'go on' }], at(minutes))
const estimateOf = async (messages: readonly Message[]) => {
  const claim = (await checked(messages)).find(({ evidence_tier }) => evidence_tier === 'ESTIMATE-HTC')
  return { estimate: claim?.estimate, check: claim?.check }
}
const work = (from: number, to: number, id = 'w', input: unknown = {}, tool = 'Bash') => [
  calls(id, tool, input, at(from)),
  answers(id, 'ok', true, at(to)),
]

describe('estimate of the work', () => {
  const SAID = says('This will take about 5 minutes [ESTIMATE-HTC: similar-project]', at(0))

  it('is compared with the rest of its turn', async () => {
    const { estimate, check } = await estimateOf([SAID, ...work(1, 11), says('Done.', at(12))])
    expect(estimate).toEqual({
      quantity: 'duration',
      said: 5 * MINUTE,
      took: 12 * MINUTE,
      evidence: {
        source: 'claude-code',
        session_id: 's',
        agent_id: 'main',
        n: 3,
        tool_use_id: null,
        quote: null,
      },
    })
    expect(check).toMatchObject({ verdict: 'fails', says: 'Took 12 min' })
  })

  it('holds within a factor of two', async () => {
    expect((await estimateOf([SAID, ...work(1, 7), says('Done.', at(8))])).check).toMatchObject({
      verdict: 'holds',
      says: 'Took 8 min',
    })
  })

  it('ends with its turn, not with its session', async () => {
    const { estimate } = await estimateOf([
      SAID,
      ...work(1, 2),
      says('Done.', at(3)),
      prompt(60),
      says('More.', at(90)),
    ])
    expect(estimate?.took).toBe(3 * MINUTE)
  })

  it('excludes the time spent waiting for a person', async () => {
    const asked = (tool: string, text: string, ok = true) => [
      calls('q', tool, {}, at(3)),
      answers('q', text, ok, at(483)),
    ]
    const tookOf = async (between: readonly Message[]) =>
      (await estimateOf([SAID, ...work(1, 3), ...between, ...work(484, 486, 'v'), says('Done.', at(487))]))
        .estimate?.took
    expect(await tookOf(asked('AskUserQuestion', 'yes'))).toBe(7 * MINUTE)
    expect(await tookOf(asked('ExitPlanMode', 'approved'))).toBe(7 * MINUTE)
    expect(await tookOf(asked('Bash', "The user doesn't want to proceed with this tool use.", false))).toBe(
      7 * MINUTE,
    )
    expect(await tookOf([])).toBe(6 * MINUTE)
    expect(await tookOf(asked('Bash', 'built'))).toBe(487 * MINUTE)
    const prompted = [
      calls('q', 'Bash', {}, at(3)),
      answers('q', 'built', true, { ...at(483), duration_ms: 2 * MINUTE }),
    ]
    expect(await tookOf(prompted)).toBe(9 * MINUTE)
  })

  it('is measured from the message that states it, however long the agent was idle before', async () => {
    const before = [...work(-900, -890, 'u'), says('Done.', at(-889))]
    const done = [SAID, ...work(1, 7), says('Done.', at(8))]
    expect((await estimateOf([...before, prompt(-1), ...done])).estimate?.took).toBe(8 * MINUTE)
    expect((await estimateOf([...before, ...done])).estimate?.took).toBe(8 * MINUTE)
  })

  it('is open while the turn continues and if nothing was done in it', async () => {
    expect((await estimateOf([SAID, calls('w', 'Bash', {}, at(1))])).estimate?.took).toBeNull()
    expect(
      (await estimateOf([SAID, prompt(4), ...work(5, 9), says('Done.', at(9))])).estimate?.took,
    ).toBeNull()
    expect((await estimateOf([SAID])).check).toEqual({
      verdict: 'open',
      says: 'There is no measurement yet.',
      evidence: null,
    })
  })

  it('ignores the work of other agents', async () => {
    const other = work(1, 50).map((each) => ({ ...each, agent_id: 'helper' }))
    expect(
      (await estimateOf([SAID, ...other, ...work(1, 2, 'v'), says('Done.', at(3))])).estimate?.took,
    ).toBe(3 * MINUTE)
  })
})

describe('estimate of something else', () => {
  it('is compared with a later claim about it', async () => {
    const messages = [
      says('The import takes about 5 minutes [ESTIMATE-HTC: similar-project]', at(0)),
      says('Reading took 9 min [REAL: Bash]', at(1)),
      says('import took 12 min [REAL: Bash]', at(2)),
      says('import took 30 min [REAL: Bash]', at(3)),
    ]
    const { estimate, check } = await estimateOf(messages)
    expect(estimate).toMatchObject({ took: 12 * MINUTE, evidence: { n: 2, quote: 'import took 12 min' } })
    expect(check?.says).toBe('Took 12 min')
  })

  it('is not compared with an earlier claim or a refuted one', async () => {
    const messages = [
      says('import took 12 min [REAL: x]', at(0)),
      calls('a', 'Bash', {}, at(0)),
      answers('a', 'no', false, at(0)),
      says('The import takes 5 minutes [ESTIMATE-HTC: x]', at(1)),
      says('import took 12 min [REAL: Bash]', at(2)),
    ]
    expect((await estimateOf(messages)).estimate?.took).toBeNull()
  })

  it('is compared in any language', async () => {
    const messages = [
      says('Импорт займёт 5 минут [ESTIMATE-HTC: похожий проект]', at(0)),
      says('Импорт занял 12 мин [REAL: x]', at(2)),
    ]
    expect((await estimateOf(messages)).estimate?.took).toBe(12 * MINUTE)
  })

  it('is not compared with a part of it or with something a hundred times off', async () => {
    const said = says('The migration takes 2 hours [ESTIMATE-HTC: x]', at(0))
    const tookBy = async (claim: string) =>
      (await estimateOf([said, says(`${claim} [REAL: x]`, at(1))])).estimate?.took
    expect(await tookBy('migration file parsed in 20 min')).toBeNull()
    expect(await tookBy('migration took 3 ms')).toBeNull()
    expect(await tookBy('the migration of orders took 20 min')).toBe(20 * MINUTE)
    const both = [
      says('migration file parsed in 20 min [REAL: x]', at(1)),
      says('migration took 30 min [REAL: x]', at(2)),
    ]
    expect((await estimateOf([said, ...both])).estimate?.took).toBe(30 * MINUTE)
  })

  it('is compared with what is claimed later in time, whichever agent is read first', async () => {
    const messages = [
      says('import took 12 min [REAL: x]', at(9, { agent_id: 'helper' })),
      says('import took 3 min [REAL: x]', at(0, { agent_id: 'helper' })),
      says('The import takes 5 minutes [ESTIMATE-HTC: x]', at(1)),
    ]
    expect((await estimateOf(messages)).estimate?.took).toBe(12 * MINUTE)
  })

  it('of a count is compared with a count of the same', async () => {
    const messages = [
      says('about 40 tests need a change [ESTIMATE-HTC: x]', at(0)),
      says('9 files moved [REAL: x]', at(1)),
      says('12 tests [REAL: x]', at(2)),
    ]
    expect((await estimateOf(messages)).estimate).toMatchObject({ quantity: 'count', said: 40, took: 12 })
  })

  it('of tokens or money is compared with a claim about the same', async () => {
    const messages = [
      says('the review costs $1.20 [ESTIMATE-HTC: x]', at(0)),
      says('review came to $3.00 [REAL: x]', at(2)),
    ]
    expect((await estimateOf(messages)).estimate).toMatchObject({
      quantity: 'money',
      said: 1_200_000,
      took: 3_000_000,
    })
  })

  it('of a run is compared with the next command of that name', async () => {
    const said = says('A build takes 4 min [ESTIMATE-HTC: x]', at(0))
    const { estimate } = await estimateOf([
      said,
      ...work(0, 9, 'a', { command: 'ls' }),
      ...work(10, 16, 'b', { command: 'npm run build' }),
      ...work(20, 40, 'c', { command: 'npm run build' }),
    ])
    expect(estimate).toMatchObject({ took: 6 * MINUTE, evidence: { tool_use_id: 'b' } })
  })

  it('of tests is compared with a run of tests, not with a word', async () => {
    const said = says('The test suite takes 4 min [ESTIMATE-HTC: x]', at(0))
    const { estimate } = await estimateOf([
      said,
      ...work(0, 9, 'a', { command: 'ls test' }),
      ...work(10, 16, 'b', { command: 'cargo nextest run' }),
    ])
    expect(estimate?.took).toBe(6 * MINUTE)
  })

  it('of a sub-agent is compared with the duration of its call, not of its launch', async () => {
    const said = says('The agent needs 4 min [ESTIMATE-HTC: x]', at(0))
    const call = calls('a', 'Agent', { prompt: 'x' }, at(1))
    const told = answers('a', 'done', true, { ...at(9), duration_ms: 7 * MINUTE })
    expect((await estimateOf([said, call, told])).estimate).toMatchObject({
      took: 7 * MINUTE,
      evidence: { tool_use_id: 'a' },
    })
    expect((await estimateOf([said, call, answers('a', 'launched', true, at(1))])).estimate?.took).toBeNull()
  })

  it('of lines and files is compared with the edits of its turn', async () => {
    const edit = (id: string, file_path: string, lines: number) =>
      work(
        1,
        1,
        id,
        { file_path, old_string: 'a\n', new_string: Array.from({ length: lines }, (_, n) => n).join('\n') },
        'Edit',
      )
    const done = [
      ...edit('a', 'x.ts', 200),
      ...edit('b', 'y.ts', 12),
      ...edit('c', 'x.ts', 0),
      says('Done.', at(2)),
    ]
    const lines = await estimateOf([says('about 40 lines change [ESTIMATE-HTC: step 31]', at(0)), ...done])
    expect(lines.estimate).toMatchObject({ quantity: 'count', said: 40, took: 214 })
    expect(lines.check).toMatchObject({ verdict: 'fails', says: 'Measured 214' })
    const files = await estimateOf([says('I will touch 3 files [ESTIMATE-HTC: x]', at(0)), ...done])
    expect(files.estimate).toMatchObject({ said: 3, took: 2 })
    expect(files.check?.verdict).toBe('holds')
  })

  it('is open otherwise', async () => {
    const messages = [
      says('a full run takes about 5 minutes [ESTIMATE-HTC: similar-project]', at(0)),
      ...work(1, 9),
      says('Done.', at(10)),
    ]
    expect((await estimateOf(messages)).estimate).toEqual({
      quantity: 'duration',
      said: 5 * MINUTE,
      took: null,
      evidence: null,
    })
    const none = await estimateOf([says('soon [ESTIMATE-HTC: x]', at(0))])
    expect(none).toEqual({
      estimate: null,
      check: { verdict: 'open', says: 'It has no amount to compare.', evidence: null },
    })
  })
})
