import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makePart } from './parts.ts'
import { isExecutable } from './programs.ts'
import { lastLine, run } from './run.ts'

const APT = '/usr/bin/apt-get'
const QUIET = [
  '-q',
  '-o',
  'Acquire::Retries=2',
  '-o',
  'Acquire::http::Timeout=30',
  '-o',
  'Acquire::Languages=none',
]

export const isDebian = (): Promise<boolean> => isExecutable(APT)

/**
 * Downloads a Debian package and takes one program out of it. Lists, cache and package lie in the part's own folder,
 * so it needs no root and changes nothing on the machine.
 */
export async function downloadDebianProgram(name: string, path: string): Promise<string> {
  const part = await makePart(`debian-${name}`, async (folder) => {
    console.log(`Downloading the Debian package ${name} into .cache/parts for the tests …`)
    const apt = join(folder, 'apt')
    const packages = join(apt, 'packages')
    for (const kind of ['lists/partial', 'cache/archives/partial', 'packages'])
      await mkdir(join(apt, kind), { recursive: true })
    const own = [
      ...['-o', `Dir::State=${apt}`, '-o', `Dir::State::lists=${join(apt, 'lists')}`],
      ...['-o', 'Dir::State::status=/var/lib/dpkg/status', '-o', `Dir::Cache=${join(apt, 'cache')}`],
      // As root apt-get would download as another user, who cannot write here.
      ...['-o', 'APT::Sandbox::User=root'],
    ]
    // A source that cannot be reached does not matter as long as another has the package.
    const updated = await run(APT, [...QUIET, ...own, 'update'], { seconds: 300 })
    const downloaded = await run(APT, [...QUIET, ...own, 'download', name], { seconds: 300, cwd: packages })
    const [file] = await readdir(packages)
    if (file === undefined)
      throw new Error(`apt-get could not download it: ${lastLine(downloaded.output || updated.output)}`)
    const unpacked = await run('dpkg-deb', ['-x', join(packages, file), join(apt, 'files')], { seconds: 60 })
    if (unpacked.code !== 0) throw new Error(`dpkg-deb could not unpack it: ${lastLine(unpacked.output)}`)
    await rename(join(apt, 'files', path), join(folder, basename(path)))
    await rm(apt, { recursive: true })
  })
  return join(part, basename(path))
}

/** Installs packages with apt-get, which only root can do, and only on Debian and its relatives. */
export async function installDebianPackages(names: readonly string[]): Promise<void> {
  console.log(`Installing ${names.join(', ')} with apt-get …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run(APT, [...QUIET, 'update'], { seconds: 300, env })
  const args = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...names]
  const { code, output } = await run(APT, [...QUIET, ...args], { seconds: 420, env })
  if (code !== 0) throw new Error(`apt-get could not install it: ${lastLine(output)}`)
}
