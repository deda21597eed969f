import type { PastSession } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { list, sessionLines } from './list.ts'
import { asked, homeWith } from './sessions.test-kit.ts'

it('explains where sessions come from if there are none', async () => {
  const { context, text, document } = homeWith({})
  await list(context, { limit: 50 })
  expect(text()).toMatch(/Sessions appear when an agent saves one\..+ panoptes doctor/)
  expect(text()).toMatch(/events you send yourself are listed by: panoptes agents/)
  expect(document()).toEqual([])
})

it('shortens ids only while they stay unique, and counts one message in the singular', async () => {
  const { context, text } = homeWith({ '019a8f00-0001-x': [asked('go')], '019a8f00-0002-x': [asked('go')] })
  await list(context, { limit: 50 })
  expect(text()).toContain('  019a8f00-0001  ')
  expect(text()).toContain('  019a8f00-0002  ')
  expect(text()).toMatch(/ 1 message( |$)/m)
})

const from = (host: string | undefined, id: string) =>
  ({
    source: 'codex',
    id,
    ...(host === undefined ? {} : { host }),
    project: 'p',
    title: 'A title that takes some room',
    last_at: 0,
    tags: [],
    messages: 1,
    errors: 0,
    spent: { cost_micro_usd: 0, cost_unknown: 0 },
  }) as unknown as PastSession

it('shows the computer if sessions come from several, even in a narrow terminal', () => {
  const two = [from('desk', 'aaaaaaaaaaaa'), from('a-laptop', 'bbbbbbbbbbbb')]
  expect(sessionLines(two, 50, undefined).join('\n')).toMatch(/ on desk\n.* on a-laptop$/)
  for (const line of sessionLines(two, 50, 80)) {
    expect(line).toMatch(/ on /)
    expect(line.trimEnd().length).toBeLessThanOrEqual(80)
  }
  for (const same of ['desk', undefined])
    expect(sessionLines([from(same, 'a'), from(same, 'b')], 50, undefined).join('\n')).not.toContain(
      'on desk',
    )
})

it('hints at more sessions if the limit is reached', async () => {
  const { context, text, document } = homeWith({ one: [asked('go')], two: [asked('go')] })
  await list(context, { limit: 2 })
  expect(text()).toContain('The newest 2; --limit shows more')
  await list(context, { limit: 3 })
  expect(text()).not.toContain('--limit')
  await list(context, { limit: 1 })
  expect(document()).toHaveLength(1)
})
