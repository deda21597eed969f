import { useNavigate } from '@tanstack/react-router'
import { navItems } from './nav.ts'
import { openKeys, openPalette } from './overlays.ts'
import { useKeys } from './use-keys.ts'

/** Registers the keys that work on every page: 1 to 8 open a page, ⌘K or Ctrl K the palette, and ? the list of keys. */
export function usePageKeys(): void {
  const navigate = useNavigate()
  const pages = navItems.map((page) => [page.key, () => void navigate({ to: page.to })] as const)
  useKeys({ ...Object.fromEntries(pages), 'mod+k': openPalette, '?': openKeys })
}
