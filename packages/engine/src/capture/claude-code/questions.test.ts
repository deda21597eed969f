import { describe, expect, it } from 'vitest'
import { parseQuestions } from './questions.ts'

const question = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'Blue', description: 'cold', preview: '#00f' }, { label: 'Red' }],
  multiSelect: true,
}

describe('the questions of an agent', () => {
  it('are parsed with their options and the original input', () => {
    const input = { questions: [question], metadata: { source: 'plan' } }
    expect(parseQuestions(input)).toEqual({
      questions: [
        {
          question: 'Which colour?',
          header: 'Colour',
          options: [
            { label: 'Blue', description: 'cold' },
            { label: 'Red', description: null },
          ],
          multi_select: true,
        },
      ],
      input,
    })
    expect(parseQuestions({ questions: [{ question: 'Why?', options: [] }] })?.questions).toEqual([
      { question: 'Why?', header: null, options: [], multi_select: false },
    ])
  })

  it.each([
    ['nothing', undefined],
    ['no questions', { questions: [] }],
    ['another shape', { questions: 'later' }],
    ['two that answers could not tell apart', { questions: [question, question] }],
    [
      'more than anyone can answer',
      { questions: Array.from({ length: 9 }, (_, n) => ({ question: `${n}`, options: [] })) },
    ],
    ['endless text', { questions: [{ question: 'x'.repeat(4_001), options: [] }] }],
  ])('are left to the client when there is %s', (_, input) => {
    expect(parseQuestions(input)).toBeUndefined()
  })
})
