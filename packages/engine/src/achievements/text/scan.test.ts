import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filesIn } from './files.ts'
import { plainFacts, plainFiles } from './oracle.test-kit.ts'
import { COUNTED } from './patterns.ts'
import { TextScan } from './scan.ts'

const factsOf = (messages: readonly string[]) => {
  const scan = new TextScan()
  for (const message of messages) scan.message(message)
  return scan.facts()
}

const filesOf = (text: string): readonly string[] => {
  const found = new Set<string>()
  filesIn(text, found)
  return [...found].sort()
}

const counted = (messages: readonly string[], name: keyof typeof COUNTED): number =>
  factsOf(messages).counts[name]

const words = Object.values(COUNTED)
  .flat()
  .map((written) => written.replaceAll('|', '').replaceAll(/[+*]/g, ' '))
const LINKS = [
  ...[
    'missing ',
    'env',
    'docker',
    'container',
    'name',
    'already',
    'in use',
    'taken',
    '3000',
    '8080',
    'eaddrinuse',
  ],
  ...[
    'npm',
    'uv',
    'install',
    'add',
    'git',
    'commit',
    'merge conflict (',
    'background',
    '=',
    'true',
    'exit_code": 0',
  ],
  ...[
    'error',
    'failed',
    'not found',
    'ok',
    'done',
    'start',
    'kill',
    'typo',
    'skill',
    'config.',
    'a-config.json',
  ],
  ...[
    'config.yaml',
    '.env',
    './a.tsx',
    '~/b.md',
    '/home/x/',
    '/mnt/',
    '.py',
    '.json',
    './',
    '~',
    'unittest passed',
  ],
]
const GLUE = [
  ...' \n\t\r_-./(:=0"\'',
  ...'\u2028\u00a0\ufeff\u001c\u0085é日\u0130\u0131\u017f\u212ax9\u0301²',
  '𝐀',
  '😀',
  '',
]
const word = fc.constantFrom(...words, ...LINKS)
const shape = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.replace('s', '\u017f').replace('k', '\u212a'),
  (text: string) => text.replace('i', '\u0130'),
  (text: string) => text.slice(1),
)
const piece = fc
  .tuple(word, shape, fc.constantFrom(...GLUE))
  .map(([text, change, glue]) => `${change(text)}${glue}`)
const message = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))

describe('text scan', () => {
  it('counts the same as one regular expression per metric, in any text', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), (messages) => {
        expect(factsOf(messages)).toEqual(plainFacts(messages))
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds the same files as a regular expression', () => {
    fc.assert(
      fc.property(message, (text) => {
        expect(filesOf(text)).toEqual(plainFiles(text))
      }),
      { numRuns: 1_000 },
    )
  })

  it('counts a message with an error once, and only whole words', () => {
    expect(factsOf(['ERROR error', 'errors', 'an_error', 'terror', 'Timed Out', 'not  found']).errors).toBe(2)
  })

  it('accepts the same letters in a file name as Python', () => {
    const names = [
      'to\u212aen\u017fconfig.js',
      '\u212aconfig.ts',
      '\u0130\u0131config.json',
      '\u212bconfig.js',
    ]
    expect(names.map((name) => counted([name], 'config_events'))).toEqual([1, 1, 1, 0])
  })

  it('matches across two messages only where a pattern allows white space', () => {
    expect(counted(['run git', '', 'commit now'], 'git_events')).toBe(1)
    expect(counted(['background =', 'TRUE'], 'process_mentions')).toBe(1)
    expect(factsOf(['port 3000 free', 'already']).portConflict).toBe(false)
  })

  it('counts everything between two paired words on a line as one match', () => {
    expect(counted(['missing auth env auth env'], 'env_var_error_events')).toBe(1)
    expect(counted(['missing auth env\nauth'], 'env_var_error_events')).toBe(2)
    expect(counted(['docker name already already'], 'docker_conflict_events')).toBe(1)
  })

  it('stays fast on hostile lines', () => {
    const line = 'docker name container '.repeat(20_000)
    const paths = './'.repeat(100_000)
    const began = performance.now()
    expect(counted([line], 'docker_conflict_events')).toBe(0)
    expect(counted(['missing '.repeat(50_000)], 'env_var_error_events')).toBe(0)
    expect(counted([`${'a-'.repeat(100_000)}config.`], 'config_events')).toBe(0)
    expect(factsOf(['3000 '.repeat(50_000)]).portConflict).toBe(false)
    expect(filesOf(paths)).toEqual([])
    expect(filesOf('~'.repeat(200_000))).toEqual([])
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
