import { QueryClient } from '@tanstack/react-query'
import { RequestFailure } from './request.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The server is on this computer: what it refuses once it refuses again; only silence is worth another try.
      retry: (failures, error) => failures < 2 && error instanceof RequestFailure && error.status === 0,
      retryDelay: 500,
      staleTime: 2_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
