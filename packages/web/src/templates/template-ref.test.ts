import { expect, it } from 'vitest'
import { placeInList, type TemplateRef, templateKey, toSearch } from './template-ref.ts'

const theirs: TemplateRef = { name: 'same', place: 'hermes' }
const ours: TemplateRef = { name: 'same', place: 'panoptes' }
const other: TemplateRef = { name: 'morning', place: 'hermes' }
const shown = [theirs, other, ours]

it('separates two templates with one name in any order', () => {
  expect(templateKey(theirs)).not.toBe(templateKey(ours))
  for (const list of [shown, shown.toReversed()])
    for (const one of list) {
      const { name, place } = toSearch(one)
      expect(list[placeInList(list, { name, ...(place ? { place } : {}) })]).toBe(one)
    }
})

it('prefers the Panoptes template for a bare name, else the one of Hermes', () => {
  expect(placeInList(shown, { name: 'same' })).toBe(2)
  expect(placeInList(shown, { name: 'morning' })).toBe(1)
})

it('finds nothing without a name, for a missing template or in the other place', () => {
  expect(placeInList(shown, {})).toBe(-1)
  expect(placeInList(shown, { place: 'hermes' })).toBe(-1)
  expect(placeInList(shown, { name: 'gone' })).toBe(-1)
  expect(placeInList(shown, { name: 'morning', place: 'panoptes' })).toBe(-1)
})
