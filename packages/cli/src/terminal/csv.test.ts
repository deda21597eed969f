import { describe, expect, it } from 'vitest'
import { csv } from './format.ts'

describe('CSV rows', () => {
  it('quote cells with commas, quotes or line ends, and leave unknown cells empty', () => {
    expect(
      csv(
        ['a', 'b'],
        [
          ['x,y', 1],
          ['say "it"', null],
          ['two\nlines', true],
        ],
      ),
    ).toEqual(['a,b', '"x,y",1', '"say ""it""",', '"two\nlines",true'])
  })

  it('never start a cell with a formula', () => {
    expect(csv(['a'], [['=1+1'], ['+x'], ['-x'], ['@x'], [-5]])).toEqual([
      'a',
      "'=1+1",
      "'+x",
      "'-x",
      "'@x",
      '-5',
    ])
  })

  it('contain no invisible or bidirectional characters', () => {
    expect(csv(['a'], [['\u202etxt\u001b[2J'], ['\u0000=1']])).toEqual([
      'a',
      '‹U+202E›txt‹U+001B›[2J',
      '‹U+0000›=1',
    ])
  })
})
