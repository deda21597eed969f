import { describe, expect, it } from 'vitest'
import { ledgerAddress, parseServers } from './team-config.ts'

describe('servers of an address', () => {
  it('are one if the address names one', () => {
    const one = 'postgres://panoptes:a%2Cb@db:5432/team?sslmode=require'
    expect(parseServers(one)).toEqual([one])
  })

  it('each keep the user, the database name and the options', () => {
    expect(parseServers('postgresql://me:se%40cret,x@a,b:5433,[::1]:5434/team?sslmode=require')).toEqual([
      'postgresql://me:se%40cret,x@a/team?sslmode=require',
      'postgresql://me:se%40cret,x@b:5433/team?sslmode=require',
      'postgresql://me:se%40cret,x@[::1]:5434/team?sslmode=require',
    ])
  })

  it('are validated one by one in a database address', () => {
    expect(ledgerAddress.safeParse('postgres://panoptes@a:5432,b:5433/team').success).toBe(true)
    expect(ledgerAddress.safeParse('postgres://panoptes@a:5432,b:wrong/team').success).toBe(false)
    expect(ledgerAddress.safeParse('mysql://panoptes@a,b/team').success).toBe(false)
  })
})
