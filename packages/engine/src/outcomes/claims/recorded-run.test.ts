import type { Listed } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import { accountsOf, claudeCode } from '../make/make.test-kit.ts'
import { checkClaims } from './check.ts'
import { NOWHERE } from './claims.test-kit.ts'

describe('claims of a recorded run', () => {
  it('are open if their targets do not exist, and the estimate is parsed', async () => {
    const source = claudeCode()
    const account = (await accountsOf(source)).find(({ claims }) => claims.length > 0)
    let listed: Listed | undefined
    for await (const each of source.list())
      if (each.kind === 'listed' && each.id === account?.session_id) listed = each
    if (account === undefined || listed === undefined) throw new Error('there is no run with claims')
    const of = listed
    const { claims, ...rest } = await checkClaims({
      account,
      reread: () => source.read(of),
      looking: NOWHERE,
    })
    expect(rest).toEqual({ ...account, claims: undefined })
    expect(claims.map(({ check, estimate }) => [check.verdict, check.says, estimate])).toEqual([
      ['open', 'This session has no such call.', null],
      [
        'open',
        'There is no measurement yet.',
        { quantity: 'duration', said: 300_000, took: null, evidence: null },
      ],
      ['open', 'Panoptes cannot find that row.', null],
    ])
  })
})
