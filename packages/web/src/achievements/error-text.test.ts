import type { AchievementsReply } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { faultText } from './error-text.ts'

const NOW = 1_800_000_000_000
const reply = (about: { readonly error?: string; readonly partly?: string }) =>
  ({
    generated_at: NOW / 1_000 - 900,
    error: about.error ?? null,
    scan_meta: { error: about.partly ?? about.error ?? null },
  }) as unknown as AchievementsReply

describe('the error text of a scan', () => {
  it('is empty without an error or before the first response', () => {
    expect(faultText(reply({}), null, NOW)).toBeUndefined()
    expect(faultText(undefined, null, NOW)).toBeUndefined()
  })

  it('reports a complete failure with the age of the shown numbers', () => {
    expect(faultText(reply({ error: 'Locked.' }), null, NOW)).toBe(
      'Couldn’t count your sessions. Locked. These numbers are from 15 min ago.',
    )
  })

  it('reports that only some sessions could not be counted', () => {
    expect(faultText(reply({ partly: 'Damaged.' }), null, NOW)).toBe('Couldn’t count some sessions. Damaged.')
  })

  it('leaves out the age when there are no numbers to show', () => {
    expect(faultText(undefined, { said: 'Locked.', isUnreachable: false }, NOW)).toBe(
      'Couldn’t count your sessions. Locked.',
    )
  })

  it('says that achievements could not load when Panoptes is unreachable', () => {
    expect(faultText(undefined, { said: 'No answer.', isUnreachable: true }, NOW)).toBe(
      'Couldn’t load achievements. No answer.',
    )
  })
})
