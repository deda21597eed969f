import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Paths, resolvePaths } from './paths.ts'
import { maskToken, openTokens, type Tokens, tokenFile } from './tokens.ts'

let folder: string
let paths: Paths

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-tokens-'))
  paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function openOk(): Promise<Tokens> {
  const tokens = await openTokens(paths)
  if (!tokens.ok) throw new Error(tokens.message)
  return tokens.value
}

const mode = async (file: string) => (await stat(file)).mode & 0o777

describe('token files', () => {
  it('are created at the first start, for their owner only', async () => {
    const tokens = await openOk()
    expect(tokens.read('full')).toMatch(/^pn_full_[\w-]{43}$/)
    expect(tokens.read('ingest')).toMatch(/^pn_ing_[\w-]{43}$/)
    expect(tokens.read('gateway')).toMatch(/^pn_gw_[\w-]{43}$/)
    expect(await mode(paths.home)).toBe(0o700)
    expect(await mode(paths.tokens)).toBe(0o700)
    expect(await mode(tokenFile(paths, 'full'))).toBe(0o600)
    expect((await readdir(paths.tokens)).sort()).toEqual(['full', 'gateway', 'ingest'])
  })

  it('keep their tokens at the next start', async () => {
    const token = (await openOk()).read('full')
    expect((await openOk()).read('full')).toBe(token)
  })

  it('become private again when somebody made them readable', async () => {
    await openOk()
    await chmod(tokenFile(paths, 'ingest'), 0o644)
    await openOk()
    expect(await mode(tokenFile(paths, 'ingest'))).toBe(0o600)
  })

  it('leave the mode of the folders around them alone', async () => {
    await mkdir(paths.tokens, { recursive: true })
    await chmod(paths.home, 0o1777)
    await chmod(paths.tokens, 0o755)
    await openOk()
    expect((await stat(paths.home)).mode & 0o7777).toBe(0o1777)
    expect(await mode(paths.tokens)).toBe(0o755)
  })

  it('rotate one scope at a time, with immediate effect', async () => {
    const tokens = await openOk()
    const before = { full: tokens.read('full'), ingest: tokens.read('ingest') }
    const rotated = await tokens.rotate('ingest')
    expect(rotated).toEqual({ ok: true, value: tokens.read('ingest') })
    expect(tokens.read('ingest')).not.toBe(before.ingest)
    expect(tokens.read('full')).toBe(before.full)
    expect((await readFile(tokenFile(paths, 'ingest'), 'utf8')).trim()).toBe(tokens.read('ingest'))
    expect(await mode(tokenFile(paths, 'ingest'))).toBe(0o600)
  })

  it('take effect as soon as another process replaces them', async () => {
    const mine = await openOk()
    const other = await openOk()
    await other.rotate('full')
    expect(mine.read('full')).toBe(other.read('full'))
  })

  it('keep the last good token while a file is broken', async () => {
    const tokens = await openOk()
    const token = tokens.read('full')
    await writeFile(tokenFile(paths, 'full'), '')
    expect(tokens.read('full')).toBe(token)
  })

  it('fail the start when one holds no token', async () => {
    await mkdir(paths.tokens, { recursive: true })
    await writeFile(tokenFile(paths, 'full'), 'hello')
    expect(await openTokens(paths)).toMatchObject({
      ok: false,
      code: 'corrupt',
      message: expect.stringContaining(tokenFile(paths, 'full')),
    })
  })

  it('explain what to do when the home is a file', async () => {
    await writeFile(paths.home, '')
    expect(await openTokens(paths)).toMatchObject({
      ok: false,
      message: expect.stringContaining(paths.tokens),
    })
  })
})

describe('maskToken', () => {
  it('shows the scope and the last four characters', () => {
    expect(maskToken(`pn_ing_${'a'.repeat(39)}WXYZ`)).toBe('pn_ing_…WXYZ')
  })
})
