import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { watchTree } from './file-tree.ts'

const SWEEP_MS = 60_000
const SOON = { timeout: 30_000, interval: 10 }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-tree-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function watchIt(path = folder, isWanted?: (path: string) => boolean) {
  const changed = vi.fn()
  const unwatch = watchTree({ folder: path, depth: 3, isWanted }, changed)
  onTestFinished(unwatch)
  return { changed, unwatch }
}

it('reports a file in a folder that is created later, far below one that exists', async () => {
  const { changed } = watchIt(join(folder, 'a', 'b'))
  mkdirSync(join(folder, 'a', 'b', 'c'), { recursive: true })
  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), SOON)
  await vi.waitFor(() => {
    appendFileSync(join(folder, 'a', 'b', 'c', 'file'), 'x')
    expect(changed).toHaveBeenCalledWith('c/file')
  }, SOON)
})

it('goes on with a folder of the same name', async () => {
  const path = join(folder, 'a')
  mkdirSync(path)
  const { changed } = watchIt(path)
  for (const name of ['one', 'two']) {
    await vi.waitFor(() => {
      mkdirSync(path, { recursive: true })
      appendFileSync(join(path, name), 'x')
      expect(changed).toHaveBeenCalledWith(name)
    }, SOON)
    rmSync(path, { recursive: true })
  }
})

it('reports only what is wanted', async () => {
  const { changed } = watchIt(folder, (path) => path === 'wanted')
  writeFileSync(join(folder, 'other'), '')
  writeFileSync(join(folder, 'wanted'), '')
  await vi.waitFor(() => expect(changed).toHaveBeenCalledWith('wanted'), SOON)
  expect(changed).not.toHaveBeenCalledWith('other')
})

it('follows the folders at the top first where there are too many', async () => {
  const projects = Array.from({ length: 12 }, (_, n) => `project-${n}`)
  for (const project of projects)
    for (let n = 0; n < 100; n += 1) mkdirSync(join(folder, project, `${n}`), { recursive: true })
  const { changed } = watchIt()
  const files = projects.map((project) => `${project}/file`)
  for (const file of files) writeFileSync(join(folder, file), '')
  for (const file of files) await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(file), SOON)
  const late = Array.from({ length: 20 }, (_, n) => `late-${n}`)
  for (const each of late) mkdirSync(join(folder, each))
  for (const each of late) await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(each), SOON)
  changed.mockClear()
  for (const file of files) writeFileSync(join(folder, file), 'more')
  for (const file of files) await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(file), SOON)
})

it('finds in a sweep what the system did not report, and nothing else', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const elsewhere = mkdtempSync(join(tmpdir(), 'panoptes-elsewhere-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true }))
  writeFileSync(join(elsewhere, 'target'), 'x')
  writeFileSync(join(folder, 'plain'), 'x')
  // The system reports no changes of a file behind a link.
  symlinkSync(join(elsewhere, 'target'), join(folder, 'link'))
  const { changed } = watchIt()
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), SOON)
  appendFileSync(join(elsewhere, 'target'), 'more')
  await vi.advanceTimersByTimeAsync(SWEEP_MS)
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(1_000)
    expect(changed.mock.calls).toEqual([['link']])
  }, SOON)
  // Where one change was missed, others are, so files are checked every second while they change.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), SOON)
  appendFileSync(join(elsewhere, 'target'), 'more')
  await vi.advanceTimersByTimeAsync(2_000)
  await vi.waitFor(() => expect(changed.mock.calls).toEqual([['link'], ['link']]), SOON)
})

it('shares one watch between everybody who watches a folder', async () => {
  const first = watchIt()
  const second = watchIt()
  writeFileSync(join(folder, 'file'), '')
  await vi.waitFor(() => expect(second.changed).toHaveBeenCalledWith('file'), SOON)
  expect(first.changed.mock.calls).toEqual(second.changed.mock.calls)
  first.unwatch()
  first.changed.mockClear()
  writeFileSync(join(folder, 'another'), '')
  await vi.waitFor(() => expect(second.changed).toHaveBeenCalledWith('another'), SOON)
  expect(first.changed).not.toHaveBeenCalled()
})
