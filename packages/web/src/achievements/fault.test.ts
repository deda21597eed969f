import type { AchievementsReply } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { faultOf } from './fault.ts'

const NOW = 1_800_000_000_000
const reply = (about: { readonly error?: string; readonly partly?: string }) =>
  ({
    generated_at: NOW / 1_000 - 900,
    error: about.error ?? null,
    scan_meta: { error: about.partly ?? about.error ?? null },
  }) as unknown as AchievementsReply

describe('what went wrong with a count', () => {
  it('is nothing where all is well or nothing was answered yet', () => {
    expect(faultOf(reply({}), null, NOW)).toBeUndefined()
    expect(faultOf(undefined, null, NOW)).toBeUndefined()
  })

  it('is said of all sessions, with the age of what is shown, where none could be counted', () => {
    expect(faultOf(reply({ error: 'Locked.' }), null, NOW)).toBe(
      'The sessions could not be counted. Locked. What is shown is from 15 min ago.',
    )
  })

  it('is said of some of them where the others were', () => {
    expect(faultOf(reply({ partly: 'Damaged.' }), null, NOW)).toBe(
      'Some sessions could not be counted. Damaged.',
    )
  })

  it('is the same sentence where there is nothing to show but the cause', () => {
    expect(faultOf(undefined, { said: 'Locked.', isUnreachable: false }, NOW)).toBe(
      'The sessions could not be counted. Locked.',
    )
  })

  it('is that of the page where Panoptes does not answer', () => {
    expect(faultOf(undefined, { said: 'No answer.', isUnreachable: true }, NOW)).toBe(
      'The achievements could not be read. No answer.',
    )
  })
})
