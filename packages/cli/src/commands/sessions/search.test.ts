import { expect, it } from 'vitest'
import { search } from './search.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'

it('finds messages that contain all words, up to the limit, with their session and position', async () => {
  const { context, text, document } = homeWith({
    'first-session': [asked('rename the harbour file'), reply('m1', 'claude-opus-4-8')],
    'second-session': [asked('the harbour is closed')],
    'third-session': [asked('nothing of the kind')],
  })
  await search(context, ['harbour'], { limit: 10 })
  expect((document() as { session_id: string }[]).map(({ session_id }) => session_id).sort()).toEqual([
    'first-session',
    'second-session',
  ])
  await search(context, ['harbour'], { limit: 1 })
  expect(document()).toHaveLength(1)
  await search(context, ['harbour', 'file'], { limit: 10 })
  expect(text()).toMatch(
    /^2026-11-15 09:00 {2}claude-code {2}first-se {2}rename the harbour file {2}message 0 {2}user\n {2}.*harbour/,
  )
  await search(context, ['harbour'], { limit: 10, source: 'codex' })
  expect(text()).toBe('No results for harbour')
})
