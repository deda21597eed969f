import type { Message } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { took } from '../tool-calls/cpu-time.test-kit.ts'
import { answers, calls, message, says } from '../tool-calls/messages.test-kit.ts'
import { checked, checkedOne, ran, START, verdictOf } from './claims.test-kit.ts'

describe('claim that points to a call', () => {
  it.each([
    'bash:toolu_1',
    'toolu_1',
    'Bash',
    'Bash, step 0',
    'step 0',
    'step 1',
    'npm run build',
    'last Bash call',
    '`toolu_1`',
  ])('by %s holds if its number is in the result', async (pointer) => {
    const { check } = await checkedOne([
      ...ran('Done in 3.20s'),
      says(`Edited 2 files. Build took 3.2 s [REAL: ${pointer}]`),
    ])
    expect(check).toEqual({
      verdict: 'holds',
      says: '3.2 s in that call',
      evidence: {
        source: 'claude-code',
        session_id: 's',
        agent_id: 'main',
        n: 0,
        tool_use_id: 'toolu_1',
        quote: 'Done in 3.20s',
      },
    })
  })

  it.each([
    ['1,204 invoices [REAL: Bash]', 'checked 1204 invoices'],
    ['1204 invoices [REAL: Bash]', 'checked 1,204 invoices'],
    ['3.2 s [REAL: Bash]', 'took 3200 ms'],
    ['3.2 s [REAL: Bash]', '{"duration_ms":3214}'],
    ['5 min [REAL: Bash]', 'real 5m0.0s'],
    ['62 % of time in fsync [REAL: Bash]', 'fsync 61.8%'],
    ['62 % of time [REAL: Bash]', '"fsync": 0.62'],
    ['10k tokens [REAL: Bash]', '10,234 tokens'],
    ['1M rows [REAL: Bash]', '1e6 rows'],
    ['3.2 s [REAL: this session, Bash]', 'x: 3.2'],
    ['$1.20 spent [REAL: Bash]', 'cost: $1.2'],
    ['insert is 3.1× faster [REAL: Bash]', 'ratio 3.08'],
    [
      '37 matches [REAL: Bash]',
      Array.from({ length: 37 }, (_, n) => `src/${'a'.repeat(n + 1)}.ts`).join('\n'),
    ],
  ])('holds by value: %s of %j', async (claim, text) => {
    expect((await verdictOf(ran(text), claim))[0]).toBe('holds')
  })

  it('holds by the duration of the call', async () => {
    const messages = [
      calls('toolu_1', 'Bash', { command: 'make' }),
      answers('toolu_1', 'ok', true, { duration_ms: 3_214 }),
    ]
    expect(await verdictOf(messages, 'build took 3.2 s [REAL: toolu_1]')).toEqual([
      'holds',
      'That call took 3.2 s',
    ])
    const timed = [
      calls('toolu_1', 'Bash', { command: 'make' }, { ts: START }),
      answers('toolu_1', 'ok', true, { ts: START + 3_190 }),
    ]
    expect((await verdictOf(timed, 'build took 3.2 s [REAL: toolu_1]'))[0]).toBe('holds')
  })

  it('holds by the input of the call', async () => {
    const messages = [calls('toolu_1', 'Read', { file_path: 'a', limit: 40 }), answers('toolu_1', 'x')]
    expect(await verdictOf(messages, 'read 40 of them [REAL: toolu_1]')).toEqual([
      'holds',
      '40 in the input of that call',
    ])
  })

  it('lists all numbers of its sentence that are found', async () => {
    expect(await verdictOf(ran('37 moved\n4 kept'), '37 tables move, 4 stay [REAL: Bash]')).toEqual([
      'holds',
      '37 and 4 in that call',
    ])
  })

  it('fails if it says that tests pass and some of them failed', async () => {
    const failed = ran('Tests  2 failed | 410 passed (412)', true, 'npm test')
    expect(await verdictOf(failed, 'all 412 tests pass [REAL: Bash]')).toEqual([
      'fails',
      '2 failed in that call',
    ])
  })

  it('is not judged by a call made after it', async () => {
    const later = ran('Exit code 1\n=== 2 failed, 10 passed in 3.10s ===', false, 'pytest')
    for (const pointer of ['pytest', 'Bash', 'step 1', 'step 2', 'toolu_1']) {
      const said = says(`Before the change 12 tests pass [REAL: ${pointer}]`)
      expect([pointer, (await checkedOne([said, ...later])).check.verdict]).toEqual([pointer, 'open'])
    }
    const [call, answer] = ran('=== 12 passed in 3.10s ===', true, 'pytest') as [Message, Message]
    const again = [
      calls('toolu_2', 'Bash', { command: 'pytest' }),
      says('12 tests pass [REAL: pytest]'),
      answers('toolu_2', '=== 2 failed, 10 passed in 3.10s ===', false),
    ]
    expect((await checkedOne([call, answer, ...again])).check).toMatchObject({
      verdict: 'holds',
      evidence: { tool_use_id: 'toolu_1' },
    })
  })

  it('is judged by an earlier call of another agent that is reported later', async () => {
    const of = (ts: number) => [
      calls('toolu_9', 'Bash', {}, { agent_id: 'helper', ts }),
      answers('toolu_9', 'took 3.2 s', true, { agent_id: 'helper', ts }),
    ]
    const said = says('took 3.2 s [REAL: toolu_9]', { ts: START })
    expect((await checkedOne([said, ...of(START - 1)])).check.verdict).toBe('holds')
    expect((await checkedOne([said, ...of(START + 1)])).check.verdict).toBe('open')
  })

  it.each([
    ['npx tsc --noEmit', 'npx tsc --noEmit'],
    ['npx tsc', 'npx tsc --noEmit'],
    ['uv run pytest', 'uv run pytest -q'],
    ['FOO=1 npm test', 'FOO=1 npm test'],
    ['cd api && pytest', 'cd api && pytest'],
    ['time make', 'time make'],
    ['npm test | tail -3', 'npm test | tail -3'],
    ['$ npx vitest run', 'npx vitest run'],
    ['ls', 'ls'],
  ])('finds the command as it was run: %s', async (pointer, command) => {
    expect((await verdictOf(ran('14 found', true, command), `14 found [REAL: ${pointer}]`))[0]).toBe('holds')
  })

  it('fails if that very call gives another number for the same thing', async () => {
    expect((await verdictOf(ran('checked 1203 invoices'), '1204 invoices [REAL: toolu_1]'))[0]).toBe('fails')
    expect(
      await verdictOf(ran('Tests  36 passed (36)', true, 'npm test'), '37 tests pass [REAL: toolu_1]'),
    ).toEqual(['fails', '36 passed in that call'])
    expect((await verdictOf(ran('build finished in 5.1 s'), 'Build took 3.2 s [REAL: toolu_1]'))[0]).toBe(
      'fails',
    )
  })

  it('about a bound holds within it and fails beyond it', async () => {
    expect(await verdictOf(ran('p95: 48.7 ms'), 'p95 is under 50 ms [REAL: toolu_1]')).toEqual([
      'holds',
      'That call says: p95: 48.7 ms',
    ])
    expect((await verdictOf(ran('p95: 61 ms'), 'p95 is under 50 ms [REAL: toolu_1]'))[0]).toBe('fails')
    expect((await verdictOf(ran('coverage: 91%'), 'coverage is over 90 % [REAL: toolu_1]'))[0]).toBe('holds')
    expect((await verdictOf(ran('1203 invoices'), 'about 1200 invoices [REAL: toolu_1]'))[0]).toBe('holds')
    expect((await verdictOf(ran('2400 invoices'), 'about 1200 invoices [REAL: toolu_1]'))[0]).toBe('open')
  })

  it('is not confirmed by a number of something else', async () => {
    expect((await verdictOf(ran('5 files'), 'took 5 minutes [REAL: toolu_1]'))[0]).toBe('open')
    expect((await verdictOf(ran('1 row'), '1M rows [REAL: Bash]'))[0]).toBe('open')
    expect((await verdictOf(ran('found 1 000 rows'), '1,000 rows [REAL: toolu_1]'))[0]).toBe('open')
  })

  it('is open if nothing contradicts it', async () => {
    expect((await verdictOf(ran('checked 1203 invoices'), '1204 invoices [REAL: Bash]'))[0]).toBe('open')
    expect((await verdictOf(ran('3 invoices, 9 invoices'), '1204 invoices [REAL: toolu_1]'))[0]).toBe('open')
    expect((await verdictOf(ran('linked in 5.1 s'), 'Build took 3.2 s [REAL: toolu_1]'))[0]).toBe('open')
    expect(await verdictOf(ran('done'), 'Build took 3.2 s [REAL: toolu_1]')).toEqual([
      'open',
      'That call does not say 3.2 s',
    ])
    expect((await verdictOf(ran('37 ms'), '37 tests pass [REAL: toolu_1]'))[0]).toBe('open')
  })

  it('is open if there is no such call or no result', async () => {
    expect(await verdictOf(ran('3.2 s'), 'took 3.2 s [REAL: toolu_9]')).toEqual([
      'open',
      'This session has no such call.',
    ])
    expect((await verdictOf([calls('toolu_1', 'Bash', {})], 'took 3.2 s [REAL: toolu_1]'))[0]).toBe('open')
    expect((await verdictOf(ran('3.2 s'), 'took 3.2 s [REAL: Bash, step 7]'))[0]).toBe('open')
    expect((await verdictOf(ran('3.2 s'), 'took 3.2 s [REAL: similar-project]'))[0]).toBe('open')
    expect((await verdictOf(ran('3.2 s'), 'took 3.2 s [REAL: PR:12]'))[0]).toBe('open')
  })

  it('without a number holds if the call succeeded', async () => {
    expect((await verdictOf(ran('ok'), 'the build is fine [REAL: toolu_1]'))[0]).toBe('holds')
    expect((await verdictOf(ran('no', false), 'the build is fine [REAL: toolu_1]'))[0]).toBe('fails')
    expect((await verdictOf(ran('no', false), 'the build is broken [REAL: toolu_1]'))[0]).toBe('holds')
  })

  it("by a tool's name refers to its own agent's last call before the message", async () => {
    const messages = [
      calls('a', 'Bash', {}),
      answers('a', 'took 1.1 s'),
      calls('b', 'Bash', {}),
      answers('b', 'took 2.2 s'),
      calls('x', 'Bash', {}, { agent_id: 'helper' }),
      answers('x', 'took 9.9 s', true, { agent_id: 'helper' }),
      says('took 2.2 s [REAL: Bash]'),
      calls('c', 'Bash', {}),
      answers('c', 'took 3.3 s'),
      says('took 9.9 s [REAL: Bash]', { agent_id: 'helper' }),
      says('took 2.2 s [REAL: Bash]'),
    ]
    const claims = await checked(messages)
    expect(claims.map(({ check }) => [check.verdict, check.evidence?.tool_use_id])).toEqual([
      ['holds', 'b'],
      ['holds', 'x'],
      ['open', 'c'],
    ])
  })

  it('by a run number refers to that run', async () => {
    const run = (id: string, text: string) => [
      calls(id, 'Bash', { command: 'cd x && cargo bench --all' }),
      answers(id, text),
    ]
    const messages = [...run('a', '1.1 s'), ...run('b', '2.2 s'), ...run('c', '3.3 s')]
    expect((await checkedOne([...messages, says('2.2 s [REAL: cargo bench run 2]')])).check).toMatchObject({
      verdict: 'holds',
      evidence: { tool_use_id: 'b' },
    })
    expect((await checkedOne([...messages, says('3.3 s [REAL: cargo bench]')])).check.verdict).toBe('holds')
  })

  it('by a step of several calls holds if one of them confirms it', async () => {
    const messages = [
      message('assistant', [
        { type: 'tool_call', id: 'a', tool: 'Bash', input: {} },
        { type: 'tool_call', id: 'b', tool: 'Grep', input: {} },
      ]),
      answers('a', 'nothing', false),
      answers('b', '37 found'),
    ]
    expect((await verdictOf(messages, '37 matches [REAL: step 0]'))[0]).toBe('holds')
    expect((await verdictOf(messages, '37 matches [REAL: Grep, step 0]'))[0]).toBe('holds')
    expect((await verdictOf(messages, '38 matches [REAL: step 0]'))[0]).toBe('open')
  })

  it('by a URL is open, and nothing is fetched', async () => {
    expect(await verdictOf([], '3 stars [REAL: https://example.org/x]')).toEqual([
      'open',
      'Panoptes does not fetch web addresses.',
    ])
  })

  it('holds by printed output inside JSON', async () => {
    const text = JSON.stringify({ output: 'building\n3.2 s\n37 files', exit_code: 0 })
    expect((await verdictOf(ran(text), 'took 3.2 s [REAL: Bash]'))[0]).toBe('holds')
    expect((await verdictOf(ran(text), '37 files [REAL: Bash]'))[0]).toBe('holds')
    const lines = [calls('toolu_1', 'Write', { content: 'a\n40 b' }), answers('toolu_1', 'ok')]
    expect((await verdictOf(lines, '40 of them [REAL: toolu_1]'))[0]).toBe('holds')
  })

  it('is open if a search that finds nothing failed', async () => {
    expect((await verdictOf(ran('Exit code 1', false, 'grep x y'), '0 matches [REAL: toolu_1]'))[0]).toBe(
      'open',
    )
  })

  it('keeps no part of a long secret next to its number', async () => {
    const key = 'Q'.repeat(2_000)
    const { check } = await checkedOne([
      ...ran(`token ${key} took 3.2 s ${key}`),
      says('took 3.2 s [REAL: Bash]'),
    ])
    expect(check).toMatchObject({ verdict: 'holds', evidence: { quote: '… took 3.2 s …' } })
  })

  it('keeps no secret in its evidence', async () => {
    const text = 'took 3.2 s with token=ghp_012345678901234567890123456789abcdef'
    const { check } = await checkedOne([...ran(text), says('took 3.2 s [REAL: Bash]')])
    expect(check.verdict).toBe('holds')
    expect(JSON.stringify(check)).not.toContain('ghp_0123')
  })
})

describe('checking claims', () => {
  it('changes only the checks and is idempotent', async () => {
    const messages = [...ran('took 3.2 s'), says('took 3.2 s [REAL: Bash] and 4 s [FROM-JOURNAL: x#1]')]
    expect(await checked(messages)).toEqual(await checked(messages))
    expect((await checked(messages)).map(({ value }) => value)).toEqual(['took 3.2 s', 'and 4 s'])
  })

  it('accepts any claim, pointer and result, and contradicts nothing without evidence', async () => {
    const words = fc.string({ unit: fc.constantFrom(...'0123456789.,$%:#/ -smhkabBash\n[]{}"') })
    const some = fc.record({
      value: words,
      pointer: fc.oneof(words, fc.constantFrom('Bash', 'toolu_1', 'step 0')),
      text: words,
    })
    await fc.assert(
      fc.asyncProperty(some, fc.constantFrom(true, false, null), async ({ value, pointer, text }, ok) => {
        const messages = [...ran(text, ok), says(`${value} [REAL: ${pointer}] ${value} [ESTIMATE-HTC: x]`)]
        for (const { check } of await checked(messages))
          if (check.verdict !== 'open') expect(check.evidence).not.toBeNull()
      }),
    )
  })

  it('searches a long result completely, in linear time', async () => {
    for (const text of [
      `${'x'.repeat(10_000_000)} 3.2 s`,
      `${'1234 '.repeat(2_000_000)} 3.2 s`,
      `${'9'.repeat(10_000_000)}\n3.2 s`,
    ]) {
      const time = await took(async () => {
        expect((await verdictOf(ran(text), 'took 3.2 s [REAL: Bash]'))[0]).toBe('holds')
      })
      expect(time).toBeLessThan(8_000)
    }
  })

  it('stays fast with many claims and many calls', async () => {
    const all = Array.from({ length: 3_000 }, (_, n) => [
      calls(`c${n}`, 'Bash', { command: `run ${n}` }),
      answers(`c${n}`, `${n}.${n} s`),
      says(`run ${n} took ${n}.${n} s [REAL: Bash] ${n} [REAL: tool${n} row] about ${n} s [ESTIMATE-HTC: x]`),
    ]).flat()
    const time = await took(async () => {
      const found = await checked(all)
      expect(found.filter(({ check }) => check.verdict === 'holds').length).toBeGreaterThan(2_900)
    })
    expect(time).toBeLessThan(8_000)
  })
})
