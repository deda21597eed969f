import { commands } from 'vitest/browser'

interface Media {
  readonly colorScheme?: 'dark' | 'light' | null
  readonly reducedMotion?: 'reduce' | 'no-preference' | null
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** Emulates the preferred theme or reduced motion. */
    emulateMedia: (media: Media) => Promise<void>
  }
}

export { commands }
