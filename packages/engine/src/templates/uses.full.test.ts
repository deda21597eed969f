import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { openTemplateFolder } from './folder.ts'
import { tempFolder, template, unwrap } from './make.test-kit.ts'
import { folderShelf } from './storage-folder.ts'

const module = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)

/** Runs the script in a process of its own. */
function running(script: string): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

const said = async (child: ChildProcess): Promise<string> => {
  const [line] = await once(child.stdout ?? child, 'data')
  return String(line).trim()
}

const countOf = async (folder: ReturnType<typeof openTemplateFolder>) =>
  unwrap(await folder.all()).stored[0]?.template.usage_count

const opened = async () => {
  const path = tempFolder()
  const folder = openTemplateFolder({ ours: folderShelf(path), ofHermes: folderShelf(`${path}/none`) })
  unwrap(await folder.put(template(), { force: false }))
  return { path, folder }
}

it('counts every use when several processes use one template at once', async () => {
  const { path, folder } = await opened()
  const script = `
    import { openTemplateFolder } from ${module('./folder.ts')}
    import { folderShelf } from ${module('./storage-folder.ts')}
    const folder = openTemplateFolder({ ours: folderShelf(${JSON.stringify(path)}), ofHermes: folderShelf('/nowhere') })
    console.log('ready')
    await new Promise((go) => process.stdin.once('data', go))
    const uses = await Promise.all(Array.from({ length: 10 }, () => folder.countUse('good')))
    console.log(uses.every(({ ok }) => ok) ? 'counted' : JSON.stringify(uses))
    process.exit(0)`
  const children = [running(script), running(script)]
  expect(await Promise.all(children.map(said))).toEqual(['ready', 'ready'])
  const ended = children.map(said)
  for (const child of children) child.stdin?.write('go\n')
  const own = Promise.all(Array.from({ length: 5 }, () => folder.countUse('good')))
  expect(await Promise.all(ended)).toEqual(['counted', 'counted'])
  expect((await own).every(({ ok }) => ok)).toBe(true)
  expect(await countOf(folder)).toBe(25)
  expect(readdirSync(path).filter((name) => !name.startsWith('.changes'))).toEqual(['good.json'])
})

it('is not blocked by a process that was killed during a change', async () => {
  const { path, folder } = await opened()
  const holder = running(`
    import { folderShelf } from ${module('./storage-folder.ts')}
    setInterval(() => {}, 1_000)
    await folderShelf(${JSON.stringify(path)}).alone(() => (console.log('held'), new Promise(() => {})))`)
  expect(await said(holder)).toBe('held')
  let counted = false
  const used = folder.countUse('good').then((result) => {
    counted = true
    return result
  })
  expect(await countOf(folder)).toBe(0)
  expect(counted).toBe(false)
  holder.kill('SIGKILL')
  expect(await used).toEqual({ ok: true, value: null })
  expect(await countOf(folder)).toBe(1)
})
