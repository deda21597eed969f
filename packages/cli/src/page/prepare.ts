import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asUsual } from '../umask.ts'
import { buildPage } from './build.ts'
import { type PagePlace, pagePlace } from './place.ts'
import { builtStamp, sourceStamp } from './stamp.ts'

export interface PreparedPage {
  /** What to serve; null when there is no page at all. */
  readonly folder: string | null
  /** Why the page is missing, or older than its sources. */
  readonly problem: string | null
}

/** The folder of a page that is up to date, built first where need be. */
export async function preparePage(
  say: (line: string) => void,
  place: PagePlace = pagePlace(),
): Promise<PreparedPage> {
  if (place.kind === 'built') return { folder: place.folder, problem: null }
  const stamp = await sourceStamp(place.web)
  if ((await builtStamp(place.folder)) === stamp) return { folder: place.folder, problem: null }
  const began = performance.now()
  say('Building the page …')
  const built = await asUsual(() => buildPage(place.web, place.folder, stamp))
  if (built.ok) {
    say(`Built the page in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    return { folder: place.folder, problem: null }
  }
  const older = existsSync(join(place.folder, 'index.html')) ? place.folder : null
  return { folder: older, problem: built.message }
}

/** How the page stands, without building it. */
export async function pageState(): Promise<PreparedPage> {
  const place = pagePlace()
  if (place.kind === 'built') return { folder: place.folder, problem: null }
  const fresh = (await builtStamp(place.folder)) === (await sourceStamp(place.web))
  return { folder: fresh ? place.folder : null, problem: null }
}
