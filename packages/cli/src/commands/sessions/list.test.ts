import { expect, it } from 'vitest'
import { list } from './list.ts'
import { asked, homeWith } from './sessions.test-kit.ts'

it('says where sessions come from when there are none', async () => {
  const { context, text, document } = homeWith({})
  await list(context, { limit: 50 })
  expect(text()).toMatch(/kept one on disk/)
  expect(text()).toMatch(/Events sent by hand are no sessions of an agent/)
  expect(document()).toEqual([])
})

it('tells sessions apart by their ids, and one message from many', async () => {
  const { context, text } = homeWith({ '019a8f00-0001-x': [asked('go')], '019a8f00-0002-x': [asked('go')] })
  await list(context, { limit: 50 })
  expect(text()).toContain('  019a8f00-0001  ')
  expect(text()).toContain('  019a8f00-0002  ')
  expect(text()).toMatch(/ 1 message( |$)/m)
})
