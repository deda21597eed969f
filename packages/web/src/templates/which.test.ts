import { expect, it } from 'vitest'
import { addressOf, keyOf, placeInList, type Which } from './which.ts'

const theirs: Which = { name: 'same', place: 'hermes' }
const ours: Which = { name: 'same', place: 'panoptes' }
const other: Which = { name: 'morning', place: 'hermes' }
const shown = [theirs, other, ours]

it('tells two of one name apart, whichever is the newer', () => {
  expect(keyOf(theirs)).not.toBe(keyOf(ours))
  for (const list of [shown, shown.toReversed()])
    for (const one of list) {
      const { name, place } = addressOf(one)
      expect(list[placeInList(list, { name, ...(place ? { place } : {}) })]).toBe(one)
    }
})

it('means ours by a name alone, and that of Hermes where there is no other', () => {
  expect(placeInList(shown, { name: 'same' })).toBe(2)
  expect(placeInList(shown, { name: 'morning' })).toBe(1)
})

it('is nowhere where nothing is named, it is gone, or it is of the other place', () => {
  expect(placeInList(shown, {})).toBe(-1)
  expect(placeInList(shown, { place: 'hermes' })).toBe(-1)
  expect(placeInList(shown, { name: 'gone' })).toBe(-1)
  expect(placeInList(shown, { name: 'morning', place: 'panoptes' })).toBe(-1)
})
