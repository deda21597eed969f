import { describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { useTeam } from './team.test-kit.ts'

let team: Team
let other: Team
useTeam((one, two) => {
  team = one
  other = two
})

describe('settings for all hubs', () => {
  it('are visible to all of them by name until they are removed', async () => {
    expect(value(await team.settings())).toEqual({})
    value(await team.setSetting('b', 'first'))
    value(await team.setSetting('a', '{"x": "ü"}'))
    value(await other.setSetting('b', 'second'))
    expect(value(await other.settings())).toEqual({ a: '{"x": "ü"}', b: 'second' })
    expect(value(await other.setSetting('b', null))).toBe(true)
    expect(value(await team.setSetting('b', null))).toBe(false)
    expect(value(await team.settings())).toEqual({ a: '{"x": "ü"}' })
  })
})
