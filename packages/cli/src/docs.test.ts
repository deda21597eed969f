import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { serviceEnvironment } from './commands/service/service.ts'
import { makeContext } from './context.ts'
import { EXIT } from './failure.ts'
import { makeProgram } from './program.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** The folders that hold source files and documentation. */
const FOLDERS = ['bench', 'docs', 'e2e', 'fixtures', 'hooks', 'packages', 'scripts'] as const

/** All files of these folders, relative to the repository. */
async function filesIn(folders: readonly string[]): Promise<readonly string[]> {
  const found = folders.map(async (folder) =>
    (await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name))),
  )
  return (await Promise.all(found)).flat().filter((path) => !/(^|\/)(node_modules|dist)\//.test(path))
}

/** Lists all documentation: the top-level pages, those in docs, and the READMEs of packages and modules. */
async function pages(): Promise<readonly string[]> {
  const top = (await readdir(ROOT)).filter((name) => name.endsWith('.md'))
  const docs = (await filesIn(['docs'])).filter((path) => path.endsWith('.md'))
  const readmes = (await filesIn(['packages'])).filter((path) => path.endsWith('/README.md'))
  return [...top, ...docs, ...readmes].map((path) => join(ROOT, path))
}

/** Removes code, which may look like a link. */
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

describe('the documentation', () => {
  it('links only to existing files and headings', async () => {
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

describe('source paths in the documentation', () => {
  it('name only files and folders that exist', async () => {
    const isNamed = whatNames(await filesIn(FOLDERS))
    const lost: string[] = []
    let seen = 0
    for (const page of await pages()) {
      // The changelog uses the file names of its time.
      if (relative(ROOT, page) === 'CHANGELOG.md') continue
      const text = await readFile(page, 'utf8')
      for (const path of sourcePaths(text, relative(ROOT, page))) {
        seen += 1
        if (!isNamed(path, { page, text })) lost.push(`${relative(ROOT, page)}: ${path}`)
      }
    }
    expect(lost).toEqual([])
    expect(seen).toBeGreaterThan(300)
  })

  it('are reported if nothing has that path', () => {
    const isNamed = whatNames(['packages/engine/src/forward/batch.ts', 'packages/cli/src/context.ts'])
    const inDocs = { page: join(ROOT, 'docs', 'page.md'), text: '' }
    expect(isNamed('packages/engine/src/forward/batch.ts', inDocs)).toBe(true)
    expect(isNamed('packages/engine/src/forward', inDocs)).toBe(true)
    expect(isNamed('forward/batch.ts', inDocs)).toBe(true)
    expect(isNamed('batch.ts', inDocs)).toBe(true)
    expect(isNamed('forward/{batch,forwarded-fields}.ts', inDocs)).toBe(false)
    expect(isNamed('packages/engine/src/forward/forwarded-fields.ts', inDocs)).toBe(false)
    expect(isNamed('atch.ts', inDocs)).toBe(false)
    const text = 'Paths without a folder are in `packages/engine/src/forward/`.'
    expect(isNamed('batch.ts', { ...inDocs, text })).toBe(true)
    expect(isNamed('context.ts', { ...inDocs, text })).toBe(false)
  })

  it('are read from code, from shell examples and from lists in READMEs', () => {
    const text = [
      '- `tabs`: one file per tab',
      'See `moa/turn.ts`, `packages/web/src/<page>` and `*.full.test.ts`.',
      '```sh',
      'npx vitest run packages/engine/src/store',
      '```',
    ].join('\n')
    const paths = ['packages/web/src/', 'packages/engine/src/store', 'moa/turn.ts']
    expect(sourcePaths(text, 'docs/page.md')).toEqual(paths)
    expect(sourcePaths(text, 'packages/web/src/ledger/README.md')).toEqual([...paths, 'tabs'])
  })
})

describe('docs/commands.md and docs/commands/', () => {
  let overview = ''
  let reference = ''
  beforeAll(async () => {
    overview = await readFile(join(ROOT, 'docs', 'commands.md'), 'utf8')
    const folder = join(ROOT, 'docs', 'commands')
    const texts = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'))
    reference = (await Promise.all(texts)).join('\n')
  })

  const program = makeProgram(makeContext([], { HOME: '/h' }), () => undefined)
  const all = ({ commands }: Command, before = ''): readonly (readonly [string, Command])[] =>
    commands.flatMap((each) => {
      const name = `${before}${each.name()}`
      return [[name, each] as const, ...all(each, `${name} `)]
    })

  it('list every command in the overview', () => {
    const named = [...overview.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(
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

  it('describe every option in a section on its command', () => {
    const missing = all(program).flatMap(([name, command]) => {
      const [first = ''] = name.split(' ')
      const about = sectionsOn(reference, first)
      return command.options
        .map(({ long }) => long ?? '')
        .filter((option) => !new RegExp(`${option}(?![\\w-])`).test(about))
        .map((option) => `${name} ${option}`)
    })
    expect(missing).toEqual([])
  })

  it('list every exit code, and every variable that a service inherits', () => {
    for (const code of Object.values(EXIT)) expect(overview).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'))
    const everything = new Proxy({ HOME: '/h' }, { get: () => '/somewhere' })
    for (const name of Object.keys(serviceEnvironment(makeContext([], everything))))
      expect(overview).toContain(`\`${name}\``)
  })
})

/** Returns the sections whose heading contains this word, up to the next page or section. */
const sectionsOn = (text: string, word: string): string =>
  text
    .split(/^(?=##? )/m)
    .filter((section) => new RegExp(`^## .*\\b${word}\\b`).test(section))
    .join('\n')

/** Invented names in examples. */
const EXAMPLES: ReadonlySet<string> = new Set([
  'src/x.ts:42',
  'src/x.ts#L42',
  'thing.test.ts',
  'thing.component.test.ts',
])

/** Lists the source files and folders that a page names, as it writes them. */
function sourcePaths(text: string, page: string): readonly string[] {
  const fromTheTop = [
    ...text.matchAll(/(?<![\w/.@{}*-])(?:bench|docs|e2e|fixtures|packages|scripts)\/[\w./{},-]+/g),
  ]
    .map(([path]) => path.replace(/[.,]+$/, ''))
    .filter((path) => !path.startsWith('bench/results'))
  const code = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\s]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => /\.(?:ts|tsx|css|sql)(?:[:#]\w+)?$/.test(path) && !/[*<]/.test(path))
    .filter((path) => !EXAMPLES.has(path) && !fromTheTop.includes(path))
  const listed =
    page.endsWith('README.md') && page.startsWith('packages/') ? text.matchAll(/^- `([^`\s]+)`/gm) : []
  return [...new Set([...fromTheTop, ...code, ...[...listed].map(([, path = '']) => path)])]
}

/**
 * Checks that a path leads to a file or folder. It may start at the repository, at the page, or at the folder
 * that the page names for all its paths. Without such a folder, the end of a path is enough, such as
 * `forward/batch.ts`.
 */
function whatNames(files: readonly string[]) {
  const paths = new Set(files.flatMap((file) => [file, ...foldersAbove(file)]))
  const ends = new Set(
    files.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(at).join('/'))),
  )
  return (path: string, { page, text }: { readonly page: string; readonly text: string }): boolean => {
    const base = /Paths without a folder are in `([^`]+)`/.exec(text)?.[1]
    return withoutBraces(path.replace(/[:#]\w+$/, '').replace(/\/$/, '')).every((each) => {
      if (paths.has(each) || paths.has(relative(ROOT, join(dirname(page), each)))) return true
      if (base === undefined) return ends.has(each)
      return paths.has(join(base, each)) || (each.includes('/') && ends.has(each))
    })
  }
}

const foldersAbove = (file: string): readonly string[] =>
  file.includes('/') ? [dirname(file), ...foldersAbove(dirname(file))] : []

/** Expands `{a,b}/c.ts` to its paths. */
function withoutBraces(path: string): readonly string[] {
  const [whole, choices] = /\{([^}]+)\}/.exec(path) ?? []
  if (whole === undefined || choices === undefined) return [path]
  return choices.split(',').flatMap((choice) => withoutBraces(path.replace(whole, choice)))
}
