import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { serviceEnvironment } from './commands/service/environment.ts'
import { makeContext } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { makeProgram } from './program.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** What is written for people: everything in docs, and what lies at the top. */
async function pages(): Promise<readonly string[]> {
  const top = (await readdir(ROOT)).filter((name) => name.endsWith('.md')).map((name) => join(ROOT, name))
  const below = await readdir(join(ROOT, 'docs'), { recursive: true })
  return [...top, ...below.filter((name) => name.endsWith('.md')).map((name) => join(ROOT, 'docs', name))]
}

/** Without code, which may look like a link. */
const proseOf = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, 'code')

const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, words = '']) =>
      words
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

const isThere = async (page: string, link: string): Promise<boolean> => {
  const [path = '', heading] = decodeURI(link).split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(file)) return false
  return heading === undefined || headingsOf(await readFile(file, 'utf8')).has(heading)
}

describe('the pages for people', () => {
  it('lead only to files and headings that are there', async () => {
    const lost: string[] = []
    let seen = 0
    for (const page of await pages()) {
      const text = proseOf(await readFile(page, 'utf8'))
      const links = [
        ...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
        ...text.matchAll(/^\[[^\]]+\]: (\S+)/gm),
        ...text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g),
      ]
      for (const [, link = ''] of links) {
        if (/^[a-z][a-z+.-]*:/i.test(link)) continue
        seen += 1
        if (!(await isThere(page, link))) lost.push(`${relative(ROOT, page)}: ${link}`)
      }
    }
    expect(lost).toEqual([])
    expect(seen).toBeGreaterThan(30)
  })
})

describe('docs/commands.md', () => {
  let text = ''
  beforeAll(async () => {
    text = await readFile(join(ROOT, 'docs', 'commands.md'), 'utf8')
  })

  const program = makeProgram(makeContext([], { HOME: '/h' }), () => undefined)
  const all = ({ commands }: Command, before = ''): readonly (readonly [string, Command])[] =>
    commands.flatMap((each) => {
      const name = `${before}${each.name()}`
      return [[name, each] as const, ...all(each, `${name} `)]
    })

  it('names every command', () => {
    const named = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(
      ([, code = '']) => `${code.replace(/^panoptes /, '')} `,
    )
    const isNamed = (name: string) => named.some((code) => code.startsWith(`${name} `))
    expect(all(program).length).toBeGreaterThan(30)
    expect(
      all(program)
        .filter(([name]) => !isNamed(name))
        .map(([name]) => name),
    ).toEqual([])
  })

  it('names every option', () => {
    const missing = all(program).flatMap(([name, command]) => {
      const [first = ''] = name.split(' ')
      const about = sectionsOn(text, first)
      return command.options
        .map(({ long }) => long ?? '')
        .filter((option) => !new RegExp(`${option}(?![\\w-])`).test(about))
        .map((option) => `${name} ${option}`)
    })
    expect(missing).toEqual([])
  })

  it('names every exit code, and every variable that a service is told', () => {
    for (const code of Object.values(EXIT)) expect(text).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'))
    const everything = new Proxy({ HOME: '/h' }, { get: () => '/somewhere' })
    for (const name of Object.keys(serviceEnvironment(makeContext([], everything))))
      expect(text).toContain(`\`${name}\``)
  })
})

/** The sections whose heading has this word, and the table of all commands. */
const sectionsOn = (text: string, word: string): string =>
  text
    .split(/^(?=## )/m)
    .filter((section, at) => at === 0 || new RegExp(`^## .*\\b${word}\\b`).test(section))
    .join('\n')
