import type { AchievementItem } from '@panoptes/schema'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { item } from './achievements.test-kit.ts'
import { findEvidence, findEvidenceKey, likelyKey, possibleSources } from './evidence.ts'

const CLAUDE = 'ea691ccd-8a96-4a2d-838e-68211d44554b'
const CODEX = '0199a213-81c0-7800-8aa1-bbab2a035a53'

afterEach(() => void vi.unstubAllGlobals())

/** Serves only these sessions, as source/id, and records the requests. */
function indexed(...sessions: readonly string[]) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    const name = path.replace(/^\/api\/past\/sessions\//, '').replace(/\?.*/, '')
    asked.push(name)
    return new Response('{}', { status: sessions.includes(name) ? 200 : 404 })
  })
  return asked
}

describe('the evidence session of an achievement', () => {
  it('guesses the source from the format of the session id', () => {
    const first = (session_id: string) => possibleSources({ session_id }, 'all')[0]
    expect([CLAUDE, CODEX, 'ses_4f', '20260115_101112_ab12cd'].map(first)).toEqual([
      'claude-code',
      'codex',
      'opencode',
      'hermes',
    ])
    expect(possibleSources({ session_id: CLAUDE }, 'hermes')).toEqual(['hermes'])
    expect(likelyKey({ session_id: 'a~b' }, 'hermes')).toBe('hermes~a%7Eb')
  })

  it('asks the server when several sources are possible', async () => {
    const asked = indexed(`codex/${CLAUDE}`)
    expect(await findEvidenceKey({ session_id: CLAUDE }, 'all')).toBe(`codex~${CLAUDE}`)
    expect(asked).toEqual([`claude-code/${CLAUDE}`, `codex/${CLAUDE}`])
  })

  it('skips the lookup when the evidence names its source', async () => {
    const asked = indexed()
    expect(await findEvidenceKey({ session_id: CLAUDE, source: 'opencode' }, 'all')).toBe(
      `opencode~${CLAUDE}`,
    )
    expect(asked).toEqual([])
  })

  it('prefers the session that unlocked it to the session with the most progress', () => {
    const made = { session_id: 'a', title: 'A', value: 2 }
    const best_session = { ...made, session_id: 'b', source: 'codex' }
    const shown = (about: Partial<AchievementItem>) => {
      const found = findEvidence(item(about))
      return found && `${found.what} ${found.session.session_id}`
    }
    expect(shown({ unlocked: true, evidence: made, best_session })).toBe('made a')
    expect(shown({ unlocked: true, evidence: null, best_session })).toBe('most b')
    expect(shown({ best_session })).toBe('best b')
    expect(shown({ unlocked: true, evidence: null })).toBeUndefined()
  })

  it('skips the lookup in the Hermes view', async () => {
    const asked = indexed()
    expect(await findEvidenceKey({ session_id: 'x' }, 'hermes')).toBe('hermes~x')
    expect(asked).toEqual([])
  })

  it('falls back to the most likely source when no source has the session', async () => {
    indexed()
    expect(await findEvidenceKey({ session_id: '20260115_101112_ab12cd' }, 'all')).toBe(
      'hermes~20260115_101112_ab12cd',
    )
  })
})
