import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { computeSourceStamp, findPagePlace, preparePage, readBuiltStamp, writeStamp } from './index.ts'

let root = ''
const web = () => join(root, 'packages', 'web')
const put = async (path: string, text: string) => {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), text)
}
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'panoptes-page-'))
  await put('packages/web/index.html', '<p>')
  await put('packages/web/src/main.tsx', 'one')
  await put('packages/schema/src/index.ts', 'two')
  await put('package-lock.json', '{}')
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('the stamp of the page', () => {
  it('changes with its sources, the schema and the lock file, and with nothing else', async () => {
    const first = await computeSourceStamp(web())
    await put('packages/web/src/main.test.tsx', 'test')
    await put('packages/web/dist/index.html', 'built')
    await put('packages/web/node_modules/x/index.js', 'x')
    expect(await computeSourceStamp(web())).toBe(first)
    const seen = new Set([first])
    for (const path of ['packages/web/src/main.tsx', 'packages/schema/src/index.ts', 'package-lock.json']) {
      await put(path, 'changed')
      seen.add(await computeSourceStamp(web()))
    }
    expect(seen.size).toBe(4)
  })
})

describe('preparePage', () => {
  const place = () => ({ kind: 'sources', web: web(), folder: join(web(), 'dist') }) as const

  it('serves the built page while its sources are unchanged', async () => {
    await put('packages/web/dist/index.html', 'built')
    await writeStamp(place().folder, await computeSourceStamp(web()))
    const said: string[] = []
    expect(await preparePage((line) => said.push(line), place())).toEqual({
      folder: place().folder,
      problem: null,
    })
    expect(said).toEqual([])
  })

  it('explains why the page is missing, or serves an older one', async () => {
    await put('packages/web/package.json', '{}')
    const none = await preparePage(() => undefined, place())
    expect(none).toEqual({ folder: null, problem: 'vite is not installed: run npm ci' })
    await put('packages/web/dist/index.html', 'older')
    expect(await preparePage(() => undefined, place())).toMatchObject({ folder: place().folder })
    expect(await readBuiltStamp(place().folder)).toBeUndefined()
  })

  it('explains what to do if it cannot write the page', async () => {
    await put('packages/web/package.json', '{}')
    await put('packages/web/node_modules/vite/package.json', '{}')
    // The tests may run as root, who can write anywhere, so a file blocks the folder.
    await put('packages/web/.cache', 'no folder')
    const { folder, problem } = await preparePage(() => undefined, place())
    expect(folder).toBeNull()
    expect(problem).toContain(`Cannot write ${join(web(), '.cache')}`)
    expect(problem).toContain(`as the owner of ${web()}`)
  })

  it('uses the page next to the bundle in an installed package', async () => {
    await put('installed/dist/page/index.html', 'built')
    expect(findPagePlace(join(root, 'installed', 'dist'))).toEqual({
      kind: 'built',
      folder: join(root, 'installed', 'dist', 'page'),
    })
  })
})
