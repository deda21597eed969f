import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** An installed package contains the built page. A clone builds it from source. */
export type PagePlace =
  | { readonly kind: 'built'; readonly folder: string }
  | { readonly kind: 'sources'; readonly web: string; readonly folder: string }

/** In the bundle, this file is in `dist`, and the page is next to it. */
export function pagePlace(here: string = import.meta.dirname): PagePlace {
  const beside = join(here, 'page')
  if (existsSync(join(beside, 'index.html'))) return { kind: 'built', folder: beside }
  const web = resolve(here, '..', '..', '..', 'web')
  return { kind: 'sources', web, folder: join(web, 'dist') }
}
