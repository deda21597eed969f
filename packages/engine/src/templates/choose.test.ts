import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { known, work } from './choose.test-kit.ts'
import { chooseFor, leastUsed } from './choose.ts'

const nameOf = (one: { readonly template: { readonly name: string } } | undefined) => one?.template.name

describe('least used template of a type', () => {
  it('is the oldest of equally used ones, then the first by name', () => {
    const all = [
      known('used', { used: 3, made: 1 }),
      known('young', { used: 1, made: 9 }),
      known('b', { used: 1, made: 5 }),
      known('a', { used: 1, made: 5 }),
      known('other', { type: 'code' }),
    ]
    expect(nameOf(leastUsed(all, 'terminal'))).toBe('a')
    expect(nameOf(leastUsed(all, 'code'))).toBe('other')
    expect(leastUsed(all, 'research')).toBeUndefined()
  })

  it('does not depend on the order of files', () => {
    const some = fc.array(
      fc.record({ used: fc.integer({ min: 0, max: 2 }), made: fc.integer({ min: 1, max: 3 }) }),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(some, fc.integer({ min: 0, max: 7 }), (abouts, turn) => {
        const all = abouts.map((about, at) => known(`t${at}`, about))
        const turned = [...all.slice(turn), ...all.slice(0, turn)].reverse()
        expect(leastUsed(turned, 'terminal')).toBe(leastUsed(all, 'terminal'))
      }),
    )
  })

  it('is never one without usable examples, whose use could not be counted', () => {
    expect(nameOf(leastUsed([known('empty', { examples: 0 }), known('t', { used: 9 })], 'terminal'))).toBe(
      't',
    )
  })
})

describe('template that fits', () => {
  const all = [
    known('shell', { type: 'terminal' }),
    known('web', { type: 'research' }),
    known('files', { type: 'file' }),
    known('maths', { type: 'code' }),
  ]

  it.each([
    ['Install docker and restart the server', 'shell'],
    ['Research the latest papers on caching and compare the sources', 'web'],
    ['Rename the function in src/app/main.ts and fix the imports', 'files'],
    ['Compute the median and plot a histogram of the dataset', 'maths'],
    ['$ npm run build', 'shell'],
    ['What does https://example.com say about this article?', 'web'],
  ])('is chosen by the words of the first message: %s', (prompt, name) => {
    const { chosen, reasons } = chooseFor({ prompt, works: [], known: all })
    expect(nameOf(chosen)).toBe(name)
    expect(reasons[0]).toContain('The first message suggests ')
  })

  it('is chosen by the tools of recent sessions of the project', () => {
    const works = [work('Edit'), work('Bash'), work('Read'), work('Bash', 'other'), work('Bash', 'other')]
    const { chosen, type, reasons } = chooseFor({ project: 'atlas', works, known: all })
    expect([nameOf(chosen), type]).toEqual(['files', 'file'])
    expect(reasons).toEqual([
      '2 of the last 3 sessions in atlas were file work.',
      'It is the only template for file work.',
    ])
  })

  it('respects the tool kinds in the config', () => {
    const input = { project: 'atlas', works: [work('my_shell')], known: all }
    expect(chooseFor(input)).toMatchObject({ chosen: undefined, type: 'mixed' })
    expect(nameOf(chooseFor({ ...input, own: { my_shell: 'terminal' } }).chosen)).toBe('shell')
  })

  it('weighs a clear first message more than earlier sessions', () => {
    const prompt = 'Search the web for the latest news and cite the articles'
    const { chosen } = chooseFor({ prompt, project: 'atlas', works: [work('Bash')], known: all })
    expect(nameOf(chosen)).toBe('web')
    const vague = chooseFor({
      prompt: 'go on with the docs',
      project: 'atlas',
      works: [work('Bash')],
      known: all,
    })
    expect(nameOf(vague.chosen)).toBe('shell')
  })

  it('prefers the same project within a kind of work, then the least used', () => {
    const near = [
      known('far', { used: 0 }),
      known('near', { used: 5, project: 'atlas' }),
      known('nearer', { used: 4, project: 'atlas' }),
    ]
    const { chosen, reasons } = chooseFor({ project: 'atlas', works: [work('Bash')], known: near })
    expect(nameOf(chosen)).toBe('nearer')
    expect(reasons.at(-1)).toBe(
      'It is the least used of 2 templates for terminal work made from sessions of atlas.',
    )
    expect(nameOf(chooseFor({ project: 'other', works: [work('Bash', 'other')], known: near }).chosen)).toBe(
      'far',
    )
  })

  it('falls back to the next kind of work if the likeliest has none, and gives that reason', () => {
    const works = [work('Bash'), work('Bash'), work('Edit')]
    const { chosen, reasons } = chooseFor({
      project: 'atlas',
      works,
      known: [known('files', { type: 'file' })],
    })
    expect(nameOf(chosen)).toBe('files')
    expect(reasons).toContain('There is no template for terminal work.')
  })

  it('is none if there is hardly any evidence for the kinds with a template', () => {
    const works = [...Array.from({ length: 19 }, () => work('Edit')), work('WebFetch')]
    const few = [known('web', { type: 'research' })]
    const { chosen, type, reasons } = chooseFor({ project: 'atlas', works, known: few })
    expect([chosen, type, reasons.at(-1)]).toEqual([undefined, 'file', 'There is no template for file work.'])
    const prompt = 'Rename the function in src/app/main.ts and fix the imports'
    expect(chooseFor({ prompt, project: 'atlas', works, known: few }).chosen).toBeUndefined()
  })

  it('breaks ties by the newest session, and prefers any kind to mixed', () => {
    const mixed = { ...work('Bash'), tools: [{ tool: 'other', calls: 3, errors: 0 }] }
    const both = [...all, known('both', { type: 'mixed' })]
    const type = (...works: ReturnType<typeof work>[]) =>
      chooseFor({ project: 'atlas', works, known: both }).type
    expect(type(work('WebFetch'), work('Bash'))).toBe('research')
    expect(type(work('Bash'), work('WebFetch'))).toBe('terminal')
    expect(type(mixed, work('Bash'))).toBe('terminal')
  })

  it("is chosen by the project's own templates if nothing else is known", () => {
    const mine = [...all, known('mine', { type: 'mixed', project: 'atlas' })]
    expect(nameOf(chooseFor({ project: 'atlas', works: [], known: mine }).chosen)).toBe('mine')
  })

  it.each([
    [{ works: [], known: [] }, 'There is no template with examples yet.'],
    [
      { works: [], known: all, prompt: 'hello', project: 'atlas' },
      'Neither the first message nor recent sessions show what type of work this is.',
    ],
    [
      { works: [work('Bash')], known: [known('web', { type: 'research' })] },
      'There is no template for terminal work.',
    ],
  ])('is none if none fits, with the reason', (input, reason) => {
    const { chosen, reasons } = chooseFor(input)
    expect(chosen).toBeUndefined()
    expect(reasons.at(-1)).toBe(reason)
  })

  it('is chosen in linear time for a hostile message', () => {
    const prompt = `${'a'.repeat(500_000)}.${'src/'.repeat(100_000)}SELECT${' '.repeat(500_000)}`
    const began = performance.now()
    chooseFor({ prompt, works: [], known: all })
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})
