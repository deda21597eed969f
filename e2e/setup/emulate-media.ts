import { defineBrowserCommand } from '@vitest/browser-playwright'

interface Media {
  readonly colorScheme?: 'dark' | 'light' | null
  readonly reducedMotion?: 'reduce' | 'no-preference' | null
}

/** Makes the browser of a component test prefer a theme, or motion. */
export const emulateMedia = defineBrowserCommand<[Media]>(({ page }, media) => page.emulateMedia(media))
