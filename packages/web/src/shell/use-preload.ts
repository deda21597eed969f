import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { navItems } from './nav.ts'

const QUIET_MS = 1_500

/** Reads the other pages once this one stands, so that they open at once, even while Panoptes does not answer. */
export function usePreload(load: readonly (() => Promise<unknown>)[]): void {
  const router = useRouter()
  useEffect(() => {
    const timer = setTimeout(() => {
      const pages = [...navItems.map((page) => page.to), '/settings/events' as const].map(
        (to) => () => router.preloadRoute({ to }),
      )
      for (const one of [...pages, ...load]) void one().catch(() => undefined)
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [router, load])
}
