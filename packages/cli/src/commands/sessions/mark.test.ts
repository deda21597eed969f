import { expect, it } from 'vitest'
import { filters } from './filters.ts'
import { list } from './list.ts'
import { note, tag, untag } from './mark.ts'
import { asked, homeWith } from './sessions.test-kit.ts'

it('adds tags to a session, and removes the named ones or all', async () => {
  const { context, text, document } = homeWith({ one: [asked('go')], two: [asked('stay')] })
  await tag(context, 'one', ['first', 'second'])
  await tag(context, 'one', ['third'])
  expect(text()).toBe('one is tagged first, second, third')
  await untag(context, 'one', ['second'])
  expect(document()).toMatchObject({ id: 'one', tags: ['first', 'third'] })
  await list(context, { limit: 5, tag: 'third' })
  expect(document()).toMatchObject([{ id: 'one' }])
  await untag(context, 'one', [])
  expect(text()).toBe('one has no tags')
  await expect(tag(context, 'nosuch', ['x'])).rejects.toThrow('No session nosuch')
})

it('saves a note next to the tags of a session, and removes it with an empty text', async () => {
  const { context, text, document } = homeWith({ one: [asked('go')] })
  await tag(context, 'one', ['kept'])
  await note(context, 'one', ['look', 'again'])
  expect(text()).toBe('one is tagged kept\nNote: look again')
  await note(context, 'one', [])
  expect(text()).toBe('one is tagged kept')
  expect(document()).toMatchObject({ tags: ['kept'], note: null })
})

it('removes one saved filter and keeps the others', async () => {
  const { context, text, document } = homeWith({ one: [asked('go')] })
  await filters(context, { save: 'a', project: 'notes' })
  await filters(context, { save: 'b' })
  expect(text()).toBe('a  project=notes\nb  everything')
  await filters(context, { remove: 'a' })
  expect(document()).toMatchObject([{ name: 'b' }])
  await expect(filters(context, { remove: 'a' })).rejects.toThrow('No saved filter is named a')
  await expect(list(context, { limit: 5, filter: 'a' })).rejects.toThrow('No saved filter is named a')
})
