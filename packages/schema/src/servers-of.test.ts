import { describe, expect, it } from 'vitest'
import { serversOf } from './servers-of.ts'
import { ledgerAddress } from './team-config.ts'

describe('the servers of an address', () => {
  it('are one where it names one', () => {
    const one = 'postgres://panoptes:a%2Cb@db:5432/team?sslmode=require'
    expect(serversOf(one)).toEqual([one])
  })

  it('each have the user, the name and the options of all', () => {
    expect(serversOf('postgresql://me:se%40cret,x@a,b:5433,[::1]:5434/team?sslmode=require')).toEqual([
      'postgresql://me:se%40cret,x@a/team?sslmode=require',
      'postgresql://me:se%40cret,x@b:5433/team?sslmode=require',
      'postgresql://me:se%40cret,x@[::1]:5434/team?sslmode=require',
    ])
  })

  it('may be given as the address of a ledger, each of them right', () => {
    expect(ledgerAddress.safeParse('postgres://panoptes@a:5432,b:5433/team').success).toBe(true)
    expect(ledgerAddress.safeParse('postgres://panoptes@a:5432,b:wrong/team').success).toBe(false)
    expect(ledgerAddress.safeParse('mysql://panoptes@a,b/team').success).toBe(false)
  })
})
