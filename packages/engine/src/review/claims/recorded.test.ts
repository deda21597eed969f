import type { Listed } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import { accountsOf, claudeCode } from '../make/make.test-kit.ts'
import { NOWHERE } from './claims.test-kit.ts'
import { checkClaims } from './index.ts'

describe('the claims of a recorded run', () => {
  it('are open where what they point to is not there, and the estimate is read', async () => {
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
      ['open', 'There is no such call in this session.', null],
      [
        'open',
        'Nothing was measured yet.',
        { quantity: 'duration', said: 300_000, took: null, evidence: null },
      ],
      ['open', 'There is no such row to look at.', null],
    ])
  })
})
