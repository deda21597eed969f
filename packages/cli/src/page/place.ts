import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The page comes built in an installed package; in a clone it is made from its sources. */
export type PagePlace =
  | { readonly kind: 'built'; readonly folder: string }
  | { readonly kind: 'sources'; readonly web: string; readonly folder: string }

/** In the bundle this file's folder is `dist`, where the page lies beside it. */
export function pagePlace(here: string = import.meta.dirname): PagePlace {
  const beside = join(here, 'page')
  if (existsSync(join(beside, 'index.html'))) return { kind: 'built', folder: beside }
  const web = resolve(here, '..', '..', '..', 'web')
  return { kind: 'sources', web, folder: join(web, 'dist') }
}
