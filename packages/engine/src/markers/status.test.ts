import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStatus } from './status.ts'

const whole = `Done.

=== STATUS-TRUTH MARKER ===
shipped: partial
stubs: 2 with a.ts:4
cargo-check: PASS
web-check: FAIL (3 errors)
docs-check: NOT-RUN
behaviour-verified: no
follow-up-required:
  - split main.rs (212→233 lines)
  - Verify in next session: rows are there from real
    use

Until then.
- no follow-up`

/** Returns the CPU milliseconds of this thread, so that other work on the computer does not count. */
const worked = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

describe('the STATUS-TRUTH marker', () => {
  it('is read with all its fields', () => {
    expect(readStatus(whole)).toEqual({
      shipped: 'partial',
      stubs: 2,
      checks: [
        { name: 'cargo-check', result: 'PASS' },
        { name: 'web-check', result: 'FAIL' },
        { name: 'docs-check', result: 'NOT-RUN' },
      ],
      behaviour_verified: 'no',
      follow_ups: ['split main.rs (212→233 lines)', 'Verify in next session: rows are there from real use'],
    })
    expect(readStatus(whole.replaceAll('\n', '\r\n'))).toEqual(readStatus(whole))
  })

  it('starts at the first line that says shipped, in any case and also before the heading', () => {
    const bare = { checks: [], behaviour_verified: null, follow_ups: [] }
    expect(readStatus('shipped: Functional now\nshipped: fail')).toEqual({
      shipped: 'functional',
      // The marker has no stubs line.
      stubs: null,
      ...bare,
    })
    expect(readStatus('shipped: fail\n=== STATUS-TRUTH MARKER ===\nshipped: partial\nstubs: 3')).toEqual({
      shipped: 'fail',
      stubs: 3,
      ...bare,
    })
    expect(readStatus('shipped: partial\nstubs: none')?.stubs).toBe(0)
    expect(readStatus('shipped: nothing yet\nshipped: **scaffolding**, mostly')).toMatchObject({
      shipped: 'scaffolding',
    })
  })

  it('accepts its lines in any order and ignores the next marker', () => {
    const text =
      '=== STATUS-TRUTH MARKER ===\nstubs: about 12 of 40\nfollow-up-required: none\nshipped: functional\n=== STATUS-TRUTH MARKER ===\nshipped: fail\nstubs: 7\ncargo-check: FAIL\nbehaviour-verified: no'
    expect(readStatus(text)).toEqual({
      shipped: 'functional',
      stubs: 12,
      checks: [],
      behaviour_verified: null,
      follow_ups: [],
    })
  })

  it.each([
    ['follow-up-required:\n- none', []],
    ['follow-up-required:\n- None.\n- N/A', []],
    ['follow-up-required: none', []],
    ['follow-up-required: no', []],
    ['follow-up-required:', []],
    ['follow-up-required: tell the others', ['tell the others']],
    ['follow-up-required: yes\n1. first\n2) second\n\n* [ ] third', ['first', 'second', 'third']],
    ['follow-up-required:\n- one\n```\n- two', ['one']],
    ['follow-up-required:\n- one\nstubs: 1\n- two', ['one']],
    ['follow-up-required:\n- nothing is tested', ['nothing is tested']],
    [
      'follow-up-required:\n- 修复测试\n- Доделать тесты\n- ठीक करना\n- réparer',
      ['修复测试', 'Доделать тесты', 'ठीक करना', 'réparer'],
    ],
    ['follow-up-required: 修复测试', ['修复测试']],
    [
      'follow-up-required: yes\n1、修复测试\n・テストを直す\n— доделать',
      ['修复测试', 'テストを直す', 'доделать'],
    ],
    ['follow-up-required: — **none** ✅\n- ✅', []],
    ['follow-up-required: true\n- fix it', ['fix it']],
    ['follow-up-required: верно', ['верно']],
  ])('lists the follow-ups in %j', (lines, expected) => {
    expect(readStatus(`shipped: partial\n${lines}`)?.follow_ups).toEqual(expected)
  })

  it('supports checks and words of any script', () => {
    const text =
      'shipped: partial，剩下的以后\nсборка-check: PASS\nweb-check: 未pass\nui-check: ✅ pass。\nstubs: 共 3 个'
    expect(readStatus(text)).toMatchObject({
      shipped: 'partial',
      stubs: 3,
      checks: [
        { name: 'сборка-check', result: 'PASS' },
        { name: 'web-check', result: '未pass' },
        { name: 'ui-check', result: 'PASS' },
      ],
    })
  })

  it.each([
    '',
    'shipped: 不 functional',
    'shipped: не functional',
    'we shipped: functional',
    'shipped: perfect',
    ' shipped: fail',
    'shipped: failing',
    'shipped:\nfunctional',
  ])('finds no marker in %j', (message) => {
    expect(readStatus(message)).toBeUndefined()
  })

  it('parses in time linear in the message', () => {
    for (const hostile of [
      `${'shipped:\n'.repeat(500_000)}${'x'.repeat(2_000_000)}`,
      `shipped: fail\n${'follow-up-required:\n- a\n'.repeat(200_000)}`,
      `shipped: fail\nfollow-up-required:\n- ${`a\n ${' '.repeat(900)}b`.repeat(5_000)}`,
      `${'STATUS-TRUTH MARKER'.repeat(200_000)}\nshipped: fail`,
      `shipped: fail\n${'a-'.repeat(2_000_000)}check: PASS`,
    ]) {
      const started = worked()
      readStatus(hostile)
      expect(worked() - started).toBeLessThan(2_000)
    }
  })

  it('never throws and finds shipped whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const message = `${before.replaceAll('shipped', '')}\nshipped: partial\n${after}`
        expect(readStatus(message)).toMatchObject({ shipped: 'partial' })
      }),
    )
  })
})
