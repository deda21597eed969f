import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openPage } from './browser.ts'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'
import { run } from './setup/run.ts'

let folder = ''
let home: TestHome
let command = ''

const npm = async (args: readonly string[], cwd: string): Promise<string> => {
  const { code, output } = await run('npm', args, { seconds: 120, cwd })
  if (code !== 0) throw new Error(`npm ${args.join(' ')}: ${output}`)
  return output
}

/** Packs the package and installs it into an empty folder, without a network. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-package-'))
  home = await makeHome()
  await npm(['pack', '-w', 'panoptes', '--pack-destination', folder], ROOT)
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  const empty = join(folder, 'empty')
  await mkdir(empty)
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], empty)
  command = join(empty, 'node_modules', 'panoptes', 'bin', 'panoptes.js')
})
afterAll(async () => {
  await home.remove()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const olderNode = (): string => {
  const older = inject('olderNode')
  return 'program' in older ? older.program : expect.fail(older.missing)
}

describe('the packed package', () => {
  it('contains README, licence and page, and has no dependencies', async () => {
    const installed = await readdir(join(folder, 'empty', 'node_modules'))
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['panoptes'])
    const files = await readdir(join(command, '..', '..'))
    expect(files.sort()).toEqual([
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'dist',
      'docs',
      'package.json',
    ])
    const licences = await readFile(join(command, '..', '..', 'dist', 'licences.txt'), 'utf8')
    for (const name of ['hono', 'zod', 'react', 'commander'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })

  it.each([
    ['hooks', 'panoptes-hook.sh'],
    ['templates', 'panoptes-template.sh'],
  ])('contains the script that agents run after %s install', async (group, script) => {
    const { code } = await runCommand(home, [group, 'install', 'claude-code'], { command })
    expect(code).toBe(0)
    const placed = await readFile(join(home.panoptes, 'hooks', script), 'utf8')
    expect(placed).toBe(await readFile(join(ROOT, 'hooks', script), 'utf8'))
  })

  it('contains everything that its README links to', async () => {
    const place = join(command, '..', '..')
    const links = [...(await readFile(join(place, 'README.md'), 'utf8')).matchAll(/\]\(([^)#]+)\)/g)]
    const local = links.map(([, link = '']) => link).filter((link) => !link.includes('://'))
    expect(local.length).toBeGreaterThan(3)
    expect(local.filter((link) => !existsSync(join(place, link)))).toEqual([])
  })

  it('serves the page', async () => {
    const daemon = await startDaemon({ home, command })
    const { page, complaints, close } = await openPage(daemon.link)
    await page.getByRole('navigation').first().waitFor()
    expect(complaints).toEqual([])
    await close()
    expect(await daemon.stop()).toBe(0)
  })

  it('plays the demo, and the counters agree', async () => {
    const { stdout, code } = await runCommand(
      home,
      ['demo', '--speed', 'max', '--events', '20000', '--json'],
      { command },
    )
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, equal: true, events: 20_000 })
    expect(code).toBe(0)
  })

  it('explains in one line what an older Node lacks', async () => {
    const refused = await runCommand(home, ['up'], { command, node: olderNode() })
    expect(refused).toMatchObject({ code: 69, stdout: '' })
    expect(refused.stderr).toMatch(
      /^panoptes: this is Node \d+\.\d+\.\d+, and Panoptes needs Node 24 or newer\. .+\n$/,
    )
  })

  it('runs on a newer Node that is installed beside it', async () => {
    const beside = join(folder, 'empty', 'node_modules', 'node')
    await mkdir(join(beside, 'bin'), { recursive: true })
    await cp(join(ROOT, 'node_modules', 'node', 'package.json'), join(beside, 'package.json'))
    await cp(process.execPath, join(beside, 'bin', 'node'))
    const version = await runCommand(home, ['version'], { command, node: olderNode() })
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/node 2[4-9]\./) })
  })
})
