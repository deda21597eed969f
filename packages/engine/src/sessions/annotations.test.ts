import type { PastSession, Result, SessionMarks } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { describe, expect, it } from 'vitest'
import { withMarks } from './annotations.ts'
import type { Sessions } from './open.ts'

const past = (id: string) => ({ source: 'hermes', id, tags: [], note: null }) as unknown as PastSession
const MARKS = [
  { source: 'hermes', id: 'a', tags: ['good'], note: 'worth a look' },
  { source: 'codex', id: 'b', tags: ['other'], note: null },
] as unknown as SessionMarks[]

/** Sessions that record their queries. */
function setUp(marks: Result<readonly SessionMarks[]> = success(MARKS)) {
  const queries: unknown[] = []
  const answer =
    (value: unknown) =>
    async (...query: unknown[]) => {
      queries.push(query[0])
      return success(value)
    }
  const sessions = {
    list: answer([past('a'), past('b')]),
    stats: answer([]),
    search: answer([]),
    export: answer({ messages: 0, bytes: 0 }),
    transcript: answer({ session: past('a'), messages: [1] }),
    opening: answer({ session: past('a'), messages: [2] }),
  } as unknown as Sessions
  const list = async ({ tag }: { readonly tag?: string }) =>
    marks.ok && tag !== undefined ? success(marks.value.filter(({ tags }) => tags.includes(tag))) : marks
  return { queries, sessions: withMarks(sessions, { list } as Parameters<typeof withMarks>[1]) }
}

const REF = { source: 'hermes', id: 'a' }
const SHOWN = { tags: ['good'], note: 'worth a look' }

describe('an annotated session', () => {
  it('is listed with its tags and note, next to sessions without', async () => {
    const { sessions } = setUp()
    expect(await sessions.list({ limit: 10 })).toMatchObject({
      value: [SHOWN, { id: 'b', tags: [], note: null }],
    })
  })

  it('shows them in its transcript and its opening', async () => {
    const { sessions } = setUp()
    expect(await sessions.transcript({ ...REF, from: 0, limit: 1 })).toMatchObject({
      value: { session: SHOWN, messages: [1] },
    })
    expect(await sessions.opening(REF, 1)).toMatchObject({ value: { session: SHOWN, messages: [2] } })
  })

  it('is exported with them', async () => {
    const { sessions, queries } = setUp()
    await sessions.export({ ...REF, format: 'html', file: '/f' })
    expect(queries).toMatchObject([{ ...REF, format: 'html', marks: SHOWN }])
  })

  it('is found by its tag in lists, searches and statistics', async () => {
    const { sessions, queries } = setUp()
    await sessions.list({ limit: 5, tag: 'good' })
    await sessions.search({ text: 'x', limit: 5, tag: 'good' })
    await sessions.stats({ tag: 'good' }, 'model')
    expect(queries).toEqual([{ limit: 5, of: [REF] }, { text: 'x', limit: 5, of: [REF] }, { of: [REF] }])
  })

  it('fails instead of appearing unannotated when the annotations cannot be read', async () => {
    const { sessions } = setUp(failure('io', 'no disk'))
    for (const result of [
      await sessions.list({ limit: 1 }),
      await sessions.list({ limit: 1, tag: 'good' }),
      await sessions.transcript({ ...REF, from: 0, limit: 1 }),
      await sessions.export({ ...REF, format: 'html', file: '/f' }),
    ])
      expect(result).toMatchObject({ ok: false, code: 'io' })
  })
})
