# The layer rule: what each folder of controller/ may include, of ours and of libraries. Read by the Makefile (what a
# layer's tests are linked with) and by hack/lint (which checks every #include against it). Lowest first.
LAYERS := base proto core deps build kube session manager cli

USES_base    :=
USES_proto   := base
USES_core    := base
USES_deps    := base
USES_build   := base core
USES_kube    := base
USES_session := base proto kube
USES_manager := base proto core build kube session
USES_cli     := base proto core deps build kube session
# The program itself: controller/main.c and what stands beside it. No layer may include any of that.
USES_program := base proto core build kube session manager

# Folders of library headers, or headers without a folder, that a layer may include beside libc. core and build read and
# write JSON with base's scanner and escaper, so that no value of a user meets a general library; kube's io.h is the only
# header of kube that session may include.
LIBRARIES_base    :=
LIBRARIES_proto   :=
LIBRARIES_core    :=
LIBRARIES_deps    :=
LIBRARIES_build   :=
LIBRARIES_kube    := curl libwebsockets uv yaml openssl
LIBRARIES_session :=
LIBRARIES_manager :=
LIBRARIES_cli     := curl uv yaml openssl
LIBRARIES_program := uv

ONLY_HEADER_session_kube := io

# What each library needs at the link.
LINK_curl          := -lcurl
LINK_libwebsockets := -lwebsockets
LINK_uv            := -luv
LINK_yaml          := -lyaml
LINK_openssl       := -lssl -lcrypto
